"""Statistics have one denominator, the games that were played, and no value for what did not happen."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from arena.model import GameRecord
from arena.tables.statistics import GameStatistics, StatisticsCollector
from protocol.wire.messages import Thought
from referee import Termination
from referee.ply import Ply

Make = Callable[..., GameRecord]
MS = 1_000_000


def collected(*records: GameRecord) -> StatisticsCollector:
    statistics = StatisticsCollector()
    for record in records:
        statistics.add(record)
    return statistics


@pytest.fixture
def games(record: Make) -> list[GameRecord]:
    """A win, a draw, a crash, a game that was not played, and a void game."""
    crash, disabled = Termination.CRASH, Termination.DISABLED
    return [
        record(),
        record(("a", 1), ("b", 1)),
        record(termination=crash, forfeits={"b": crash}),
        record(termination=disabled, forfeits={"b": disabled}),
        record(("a", None), ("b", None), termination=Termination.VOID),
    ]


def test_shares_are_of_the_games_that_were_played(games: list[GameRecord]) -> None:
    statistics = collected(*games)
    assert (statistics.unplayed, statistics.games) == (1, 3)
    assert GameStatistics(statistics).summary() == (
        "3 games played; drawn: 1 (33 %); forfeits: 1; not played, because an engine was disabled: 1"
    )
    (line,) = GameStatistics(statistics).openings(10).rows
    assert line[2:6] == ("3", "2.5", "83 %", "33 %")  # games, and the first player's points; draws
    seats = [row[1:6] for row in GameStatistics(statistics).seats().rows]
    assert seats == [("player 1", "3", "2-1-0", "2.5", "83 %"), ("player 2", "3", "0-1-2", "0.5", "17 %")]
    ends = [row[2:] for row in GameStatistics(statistics).ends().rows]
    assert ends == [
        ("rules", "2", "67 %"),
        ("forfeit", "1", "33 %"),
        ("forfeit", "1", ""),
        ("nobody", "1", ""),
    ]
    assert GameStatistics(statistics).forfeits().rows == (("1", "b", "1", "", "", "1", "", "", "", "1"),)


def test_a_turn_without_a_move_makes_no_move_longer(record: Make) -> None:
    late = replace(record(), record=(Ply(0, "e2", 10 * MS), Ply(1, "e8", 20 * MS), Ply(0, "e3", 30 * MS)))
    players = late.result.players
    players = (replace(players[0], time_used=40 * MS), replace(players[1], time_used=9_000 * MS))
    late = replace(late, result=replace(late.result, players=players))
    rows = {row[1]: row[3:6] for row in GameStatistics(collected(late)).times().rows}
    assert rows == {"a": ("2", "0.020", "0.030"), "b": ("1", "0.020", "0.020")}


def test_an_engine_that_never_moved_has_no_time_per_move_and_comes_last(record: Make) -> None:
    silent = replace(record(), record=(Ply(1, "e8", 20 * MS),))
    rows = [row[1:6] for row in GameStatistics(collected(silent)).times().rows]
    assert rows == [("b", "1", "1", "0.020", "0.020"), ("a", "1", "0", "", "")]


def test_usage_is_shared_among_the_games_and_moves_of_the_engine_that_reported_it(record: Make) -> None:
    def game(*usage: str) -> GameRecord:
        plies = (Ply(ply % 2, "e2", 5 * MS, thought=Thought(usage=text)) for ply, text in enumerate(usage))
        return replace(record(), record=tuple(plies))

    games = game("tokens 10", "", "tokens 20"), game("", "tokens 4 calls 1", "")
    rows = [row[1:] for row in GameStatistics(collected(*games)).usage().rows]
    assert rows == [
        ("a", "tokens", "30", "30", "15"),
        ("b", "tokens", "4", "4", "4"),
        ("b", "calls", "1", "1", "1"),
    ]


def test_the_interval_of_a_seat_that_won_everything_is_rounded_outwards(record: Make) -> None:
    statistics = collected(*[record()] * 3000)
    assert [row[6] for row in GameStatistics(statistics).seats().rows] == ["99-100 %", "0-1 %"]


def test_depth_and_speed_count_moves_with_a_report_by_their_time(record: Make) -> None:
    plies = (
        Ply(0, "e2", 5 * MS, "cp 1", 4, Thought(1000)),
        Ply(1, "e8", 5 * MS),
        Ply(0, "e3", 10 * MS, "cp 1", 6, Thought(2000)),
        Ply(1, "e7", 20_000 * MS, "", None, Thought(seldepth=3)),
        Ply(0, "e4", 15 * MS, "cp 1", 9),
        Ply(1, "?illegal played 'z9'", 5 * MS),
        Ply(1, "e6", 0, "", 3, Thought(7)),
    )
    (thoughts,) = [GameStatistics(collected(replace(record(), record=plies))).thinking()]
    assert thoughts.rows == (
        ("1", "a", "3", "6.3", "200000", "4.0", "7.5", "", "", ""),
        ("2", "b", "2", "3.0", "", "3.0", "", "", "", ""),
    )
    data = collected(replace(record(), record=plies)).thinking.data()[0]
    assert (data["nodes"], data["nps"]) == (3000, 200_000.0)
    assert data["depths"][:2] == [  # type: ignore[index]  # a list
        {"below": 10 * MS, "moves": 1, "depth": 4.0},
        {"below": 100 * MS, "moves": 2, "depth": 7.5},
    ]
