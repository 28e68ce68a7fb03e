"""The winner in words is the same in `arena run`, `arena show`, `arena play` and on web pages."""

from __future__ import annotations

import pytest

from arena.cli.play import ending
from arena.cli.progress import describe as live_line
from arena.cli.rules import describe
from arena.model import GameResult
from arena.scoring import game_record, not_played
from arena.tables.result_text import sentence, verdict
from protocol.spec import EngineSpec
from referee import Outcome, Termination
from referee.match.job import Job, JobFinished, JobSeat, SeatResult

T = Termination
NONE = (None, None)
NAMES = tuple(f"player {number}" for number in range(1, 5))

ENDS = [
    pytest.param((1, 2), NONE, T.NORMAL, "goal", "player 1 wins", id="win"),
    pytest.param((2, 1), NONE, T.ADJUDICATED, "score", "player 2 wins", id="adjudicated win"),
    pytest.param((1, 1), NONE, T.NORMAL, "stalemate", "a draw", id="draw by the rules"),
    pytest.param((1, 1), NONE, T.ADJUDICATED, "repetition", "a draw", id="adjudicated draw"),
    pytest.param((1, 2), (None, T.CRASH), T.CRASH, "crash", "player 1 wins", id="forfeit"),
    pytest.param((2, 1), (T.RESIGN, None), T.RESIGN, "resign", "player 2 wins", id="resignation"),
    pytest.param((1, 1), (T.CRASH, T.CRASH), T.CRASH, "crash", "nobody wins", id="both crash"),
    pytest.param((None, None), NONE, T.VOID, "void", "none, the game does not count", id="void"),
    pytest.param((2, 2, 1, 2), NONE * 2, T.NORMAL, "goal", "player 3 wins", id="win of four"),
    pytest.param((1, 1, 1, 1), NONE * 2, T.ADJUDICATED, "length", "a draw", id="draw of four"),
    pytest.param(
        (1, 3, 1, 3),
        NONE * 2,
        T.NORMAL,
        "points",
        "player 1 and player 3 share first place",
        id="shared win of four",
    ),
    pytest.param(
        (4, 1, 1, 1),
        (T.ILLEGAL, None, None, None),
        T.ADJUDICATED,
        "length",
        "player 2, player 3 and player 4 share first place",
        id="draw of those left of four",
    ),
    pytest.param(
        (2, 4, 1, 3),
        (T.TIME, T.ILLEGAL, None, T.STALL),
        T.TIME,
        "time",
        "player 3 wins",
        id="one left of four",
    ),
    pytest.param((4, 1, 1, 1), (T.CRASH,) * 4, T.CRASH, "crash", "nobody wins", id="all of four fail"),
    pytest.param((4, 3, 2, 1), (T.CRASH,) * 4, T.CRASH, "crash", "nobody wins", id="all fail, one by one"),
]


def job(*names: str) -> Job:
    return Job("1", "quoridor", tuple(JobSeat(EngineSpec(name, ("x",)), "10+0.1") for name in names))


def words(line: str) -> str:
    """Return the winner from a line ``WHO: reason …`` or ``WHO (reason …)``."""
    return line.partition(": ")[0].partition(" (")[0]


@pytest.mark.parametrize(("ranks", "forfeits", "termination", "reason", "expected"), ENDS)
def test_every_end_has_the_same_words_everywhere(
    ranks: tuple[int | None, ...],
    forfeits: tuple[Termination | None, ...],
    termination: Termination,
    reason: str,
    expected: str,
) -> None:
    seats = tuple(
        SeatResult("", "", rank, forfeit, 0, 0) for rank, forfeit in zip(ranks, forfeits, strict=True)
    )
    finished = JobFinished("1", termination, reason, "", seats, (), "", 0.0, 0)
    names = NAMES[: len(ranks)]
    result = game_record(job(*names), finished).result
    assert words(verdict(result)) == expected
    assert words(live_line(result).partition(f"{' - '.join(names)}: ")[2]) == expected
    assert words(ending(finished)) == expected
    if not any(forfeits) and termination is not T.VOID:
        assert words(describe(Outcome(tuple(rank or 0 for rank in ranks), reason))) == expected


@pytest.mark.parametrize(
    ("disabled", "expected"),
    [({"a"}, "b wins (disabled)"), ({"b"}, "a wins (disabled)"), ({"a", "b"}, "nobody wins (disabled)")],
)
def test_a_game_that_is_not_played_is_lost_by_the_disabled_engines(disabled: set[str], expected: str) -> None:
    order = job("a", "b")
    result = game_record(order, not_played(order, disabled)).result
    assert [player.forfeit == T.DISABLED for player in result.players] == [name in disabled for name in "ab"]
    assert sum(player.points for player in result.players) == 2 - len(disabled)
    assert verdict(result) == expected
    assert words(live_line(result).partition("a - b: ")[2]) == words(expected)


@pytest.mark.parametrize(
    ("termination", "reason", "expected"),
    [
        (T.NORMAL, "goal", "player 1 wins (goal)"),
        (T.ADJUDICATED, "score", "player 1 wins (score, adjudicated)"),
        (T.TIME, "time", "player 1 wins (time)"),
    ],
)
def test_the_reason_is_followed_by_who_ended_the_game_where_it_does_not_tell_that(
    termination: Termination, reason: str, expected: str
) -> None:
    seats = tuple(SeatResult("", "", rank, None, 0, 0) for rank in (1, 2))
    finished = JobFinished("1", termination, reason, "", seats, (), "", 0.0, 0)
    assert verdict(game_record(job(*NAMES[:2]), finished).result) == expected


def result_of(
    ranks: tuple[int | None, ...], forfeits: tuple[Termination | None, ...], by: Termination, reason: str
) -> GameResult:
    seats = tuple(
        SeatResult("", "", rank, forfeit, 0, 0) for rank, forfeit in zip(ranks, forfeits, strict=True)
    )
    return game_record(
        job(*("lea", "emil", "ines", "hugo")[: len(ranks)]),
        JobFinished("1", by, reason, "", seats, (), "", 0.0, 0),
    ).result


@pytest.mark.parametrize(
    ("ranks", "forfeits", "by", "reason", "expected"),
    [
        ((1, 2), NONE, T.NORMAL, "goal", "lea beats emil: reaches the goal"),
        ((2, 1), (T.TIME, None), T.TIME, "time", "emil beats lea: lea runs out of time"),
        ((1, 2), (None, T.RESIGN), T.RESIGN, "resign", "lea beats emil: emil resigns"),
        ((1, 1), NONE, T.ADJUDICATED, "length", "lea and emil draw: the limit of plies is reached"),
        ((1, 1), (T.CRASH, T.CRASH), T.CRASH, "crash", "nobody wins: lea crashes, emil crashes"),
        ((1, 2), NONE, T.NORMAL, "three-tigers", "lea beats emil: three tigers"),
        ((2, 2, 1, 2), NONE * 2, T.NORMAL, "goal", "ines wins: reaches the goal"),
        ((1, 2, 1, 3), NONE * 2, T.NORMAL, "points", "lea and ines share first place: points"),
    ],
)
def test_an_end_is_a_sentence(
    ranks: tuple[int | None, ...],
    forfeits: tuple[Termination | None, ...],
    by: Termination,
    reason: str,
    expected: str,
) -> None:
    assert sentence(result_of(ranks, forfeits, by, reason)) == expected
