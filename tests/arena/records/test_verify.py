"""The verifier: it accepts games that can have been played, and refuses the others with a reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from arena.model import (
    GameRecord,
    GameResult,
    Opening,
    PlayerRecord,
)
from arena.records.lawful import Unlawful, verify
from referee import Termination, game
from referee.errors import RefereeError
from referee.ply import Ply

NEAR_GOAL = "/ / e8 d5 / 10 10 / 1"
GOAL = "/ / e9 d5 / 10 10 / 2"
CUT_SHORT = Termination.CRASH


def played(
    texts: str,
    final: str | None = None,
    *,
    id_: str = "quoridor",
    start: str | None = None,
    opening: Sequence[str] = (),
    ranks: Sequence[int | None] = (),
    termination: Termination = CUT_SHORT,
    reason: str = "crash",
    count: int | None = None,
) -> GameRecord:
    """Return a game from plies such as ``1:e2 2:e8``; by default with its last position and equal ranks."""
    pairs = [text.split(":") for text in texts.split()]
    plies = tuple(Ply(int(seat) - 1, text, 0) for seat, text in pairs)
    moves = [text for _, text in pairs if not text.startswith("!")]
    rules = game(id_)
    if final is None:
        position = rules.start() if start is None else rules.parse_position(start)
        for text in (*opening, *moves):
            position = position.play(position.parse_move(text))
        final = str(position)
    players = tuple(
        PlayerRecord(f"p{seat}", "", rank, 0.0, None, "none", 0, 0)
        for seat, rank in enumerate(ranks or (1,) * rules.info.players)
    )
    number = len(moves) if count is None else count
    result = GameResult(None, "t", 0, "k", id_, termination, reason, "", number, players)
    return GameRecord(result, Opening(start, tuple(opening)), plies, final, 0.0, 0)


def why(record: GameRecord) -> str:
    """Return the reason for which a game is refused."""
    with pytest.raises(Unlawful) as caught:
        verify(record)
    return str(caught.value)


NORMAL, VOID = Termination.NORMAL, Termination.VOID
WON = {"start": NEAR_GOAL, "termination": NORMAL, "reason": "goal", "ranks": (1, 2)}
COUNTED = {"termination": Termination.ADJUDICATED, "reason": "count"}


@pytest.mark.parametrize(
    "record",
    [
        played(""),
        played("", ""),
        played("1:e2"),
        played("1:e2 2:e8 1:e3", ranks=(2, 1)),
        played("1:e3", opening=("e2", "e8")),
        played("", opening=("e2", "e8")),
        played("1:e2", termination=Termination.ADJUDICATED, reason="length"),
        played("1:e2", **COUNTED, ranks=(1, 2)),
        played("1:e2 2:e8", **COUNTED, ranks=(1, 1)),
        played(
            "1:e2 2:!2 3:e8 4:i6 1:e3",
            "/ / e3 a5 e8 i6 / 5 5 5 5 / 3",
            **COUNTED,
            id_="quoridor4",
            ranks=(1, 4, 2, 3),
        ),
        played("1:e2", ranks=(None, None), termination=VOID),
        played("1:e9", **WON),
        played("1:e9", **WON | {"ranks": (None, None), "termination": VOID}),
    ],
)
def test_what_can_have_been_is_taken(record: GameRecord) -> None:
    verify(record)


OVER = "the game was already over"


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (played("1:e2 2:e5", "x"), "ply 2, 'e5': "),
        (played("1:e2 1:e3", "x"), "ply 2, 'e3': it is player 2's turn, not player 1's"),
        (played("2:e8", "x"), "ply 1, 'e8': it is player 1's turn, not player 2's"),
        (played("1:e9 2:d4", "x", **WON), f"ply 2, 'd4': {OVER}"),
        (played("1:e2", "x"), "the moves lead to '/ / e2 e9 / 10 10 / 2', not to 'x'"),
        (played("1:e2", ""), "the moves lead to '/ / e2 e9 / 10 10 / 2', not to ''"),
        (played("", "x"), "the moves lead to '/ / e1 e9 / 10 10 / 1', not to 'x'"),
        (played("1:e2", count=2), "it has 1 move, but says that it has 2"),
        (played("1:e2", count=0), "it has 1 move, but says that it has 0"),
        (played("1:e2", ranks=(1,)), "quoridor has 2 players, not 1"),
        (played("1:e2", ranks=(1, 2, 3)), "quoridor has 2 players, not 3"),
        (played("", "x", opening=("e2", "e5")), "the move 'e5' of the opening: "),
        (played("", "x", opening=("e2", "z" * 61)), f"the move '{'z' * 60}' of the opening: "),
        (played("", start=GOAL), "the opening ends the game before the players have moved"),
        (
            played("", start=NEAR_GOAL, opening=("e9",)),
            "the opening ends the game before the players have moved",
        ),
        (played("1:e2", ranks=(None, None)), "its ranks None, None are not a valid ranking"),
        (played("1:e2", ranks=(1, None)), "its ranks 1, None are not a valid ranking"),
        (played("1:e2", ranks=(2, 2)), "its ranks 2, 2 are not a valid ranking"),
        (played("1:e2", ranks=(1, 3)), "its ranks 1, 3 are not a valid ranking"),
        (
            played("1:e2", ranks=(None, 1), termination=VOID),
            "it is void, but its players have ranks",
        ),
        (
            played("1:e2", termination=NORMAL),
            "the rules do not end the game after its last move, but its termination is normal",
        ),
        (
            played("1:e9", **WON | {"termination": CUT_SHORT}),
            "the rules end the game after its last move, but its termination is crash",
        ),
        (
            played("1:e9", **WON | {"reason": "l" * 61}),
            f"by the rules its reason is goal, not '{'l' * 60}'",
        ),
        (
            played("1:e9", **WON | {"ranks": (2, 1)}),
            "its ranks 2, 1 are not the ranks by the rules, (1, 2)",
        ),
        (
            played("1:e9", **WON | {"ranks": (1, 1)}),
            "its ranks 1, 1 are not the ranks by the rules, (1, 2)",
        ),
        (
            played("1:e2", **COUNTED, ranks=(2, 1)),
            "its ranks 2, 1 are not the ranks by the count, (1, 2)",
        ),
        (
            played("1:e2", **COUNTED, ranks=(1, 1)),
            "its ranks 1, 1 are not the ranks by the count, (1, 2)",
        ),
        (
            played("1:e2e4", **COUNTED, id_="chess", ranks=(1, 2)),
            "its reason is count, but chess has no count",
        ),
    ],
)
def test_what_cannot_have_been_is_refused_with_its_ply(record: GameRecord, reason: str) -> None:
    said = why(record)
    assert said.startswith(reason) if reason.endswith(": ") else said == reason


def test_a_text_is_quoted_by_60_characters() -> None:
    assert why(played(f"1:{'é' * 61}", "x")).startswith("ply 1, '" + "\\xe9" * 60 + "': ")


def test_a_game_or_a_start_that_there_is_not_is_named() -> None:
    record = played("")
    unknown = replace(record, result=replace(record.result, game="ludo"))
    assert why(unknown) == str(_error(lambda: game("ludo")))
    nowhere = replace(record, opening=Opening("nonsense"))
    problem = _error(lambda: game("quoridor").parse_position("nonsense"))
    assert why(nowhere) == f"the start position: {problem}"


def _error(make: Callable[[], object]) -> Exception:
    with pytest.raises(RefereeError) as caught:
        make()
    return caught.value


# --- players who were removed ------------------------------------------------------------------------------

LINED_UP = "/ / e8 a5 d4 i5 / 5 5 5 5 / 1"


def four(texts: str, final: str, **keys: Any) -> GameRecord:
    return played(texts, f"/ / {final}", id_="quoridor4", **keys)


@pytest.mark.parametrize(
    ("texts", "final"),
    [
        ("1:e2 2:!2", "e2 a5 e9 i5 / 5 5 5 5 / 3"),
        ("1:e2 2:!2", "e2 a5 e9 i5 / 5 5 5 5 / 2"),
        ("1:e2 2:!2 3:e8", "e2 a5 e8 i5 / 5 5 5 5 / 4"),
        ("1:e2 2:!2 3:e8 4:h5 1:e3", "e3 a5 e8 h5 / 5 5 5 5 / 3"),
        ("4:!4 1:e2", "e2 a5 e9 i5 / 5 5 5 5 / 2"),
        ("1:!1 2:b5", "e1 b5 e9 i5 / 5 5 5 5 / 3"),
        ("1:e2 2:!2 3:!3 4:!4", "e2 a5 e9 i5 / 5 5 5 5 / 1"),
        ("1:e2 2:!2 3:!3 4:!4", "e2 a5 e9 i5 / 5 5 5 5 / 3"),
        ("1:e2 2:!2 3:!3 4:!4", "e2 a5 e9 i5 / 5 5 5 5 / 2"),
        ("1:!1 2:!2 3:!3 4:!4", "e1 a5 e9 i5 / 5 5 5 5 / 4"),
        ("4:!4 3:!3 2:!2 1:!1", "e1 a5 e9 i5 / 5 5 5 5 / 1"),
    ],
)
def test_a_removed_player_is_passed_over_and_players_removed_together_perhaps_not(
    texts: str, final: str
) -> None:
    verify(four(texts, final))


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        ("1:e2 2:!3", "ply 2, '!3': player 3 cannot be removed here"),
        ("1:e2 2:!2 2:!2", "ply 3, '!2': player 2 cannot be removed here"),
        ("5:!5", "ply 1, '!5': player 5 cannot be removed here"),
        ("99:!99", "ply 1, '!99': player 99 cannot be removed here"),
        ("2:!2 3:!3 4:!4 1:e2", f"ply 4, 'e2': {OVER}: at most one player was left"),
        ("1:!1 2:!2 3:!3 4:!4 1:e2", f"ply 5, 'e2': {OVER}: at most one player was left"),
        ("1:!1 1:e2", "ply 2, 'e2': it is player 2's turn, not player 1's"),
        (
            "1:e2 2:!2 3:e8",
            "the moves lead to '/ / e2 a5 e8 i5 / 5 5 5 5 / 4', not to '/ / e2 a5 e9 i5 / 5 5 5 5 / 2'",
        ),
    ],
)
def test_removals_that_cannot_have_been_are_refused(texts: str, reason: str) -> None:
    said = why(four(texts, "e2 a5 e9 i5 / 5 5 5 5 / 2"))
    assert said == reason


def test_the_last_of_the_possible_last_positions_is_in_the_message() -> None:
    said = why(four("1:e2 2:!2 3:!3", "x"))
    assert said == "the moves lead to '/ / e2 a5 e9 i5 / 5 5 5 5 / 4', not to '/ / x'"


def test_no_text_removes_anybody_from_a_game_for_two_and_0_or_100_nobody() -> None:
    assert why(played("1:!1", "x")).startswith("ply 1, ")
    for text in ("!0", "!01", "!100", "!", "x!2"):
        said = why(four(f"1:{text}", "x"))
        assert "cannot be removed" not in said


@pytest.mark.parametrize("ranks", [(1, 4, 2, 2), (1, 2, 2, 2)])
def test_those_who_are_left_are_ranked_by_the_rules(ranks: tuple[int, ...]) -> None:
    goal: dict[str, Any] = {"start": LINED_UP, "termination": NORMAL, "reason": "goal", "ranks": ranks}
    verify(four("2:!2 1:e9", "e9 a5 d4 i5 / 5 5 5 5 / 2", **goal))


@pytest.mark.parametrize("ranks", [(2, 1, 3, 3), (1, 2, 3, 3), (1, 4, 1, 3), (1, 1, 1, 1)])
def test_and_not_otherwise(ranks: tuple[int, ...]) -> None:
    goal: dict[str, Any] = {"start": LINED_UP, "termination": NORMAL, "reason": "goal", "ranks": ranks}
    said = why(four("2:!2 1:e9", "e9 a5 d4 i5 / 5 5 5 5 / 2", **goal))
    assert said == f"its ranks {', '.join(map(str, ranks))} are not the ranks by the rules, (1, 2, 2, 2)"
