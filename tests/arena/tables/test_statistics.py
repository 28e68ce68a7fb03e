"""Statistics have one denominator, the games that count, and no value for what did not happen."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from arena.model import GameRecord
from arena.tables.statistics import StatisticsCollector
from arena.tables.statistics_tables import ends_table, summary, times_table
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


def test_shares_are_of_the_games_that_count(games: list[GameRecord]) -> None:
    statistics = collected(*games)
    assert (statistics.counting, statistics.games) == (4, 3)
    assert summary(statistics) == (
        "4 games; drawn: 1 (25.0%); ended by a forfeit: 2 (50.0%), 1 of them without being played"
    )
    shares = {row[2]: row[4] for row in ends_table(statistics).rows}
    assert shares == {"rules": "50.0%", "forfeit": "25.0%", "nobody": ""}


def test_a_sentence_about_nothing_has_no_shares(games: list[GameRecord]) -> None:
    assert summary(collected(games[-1])) == "0 games"
    assert summary(collected(games[0])) == "1 game; drawn: 0 (0.0%); ended by a forfeit: 0 (0.0%)"


def test_a_turn_without_a_move_makes_no_move_longer(record: Make) -> None:
    late = replace(record(), record=(Ply(0, "e2", 10 * MS), Ply(1, "e8", 20 * MS), Ply(0, "e3", 30 * MS)))
    players = late.result.players
    players = (replace(players[0], time_used=40 * MS), replace(players[1], time_used=9_000 * MS))
    late = replace(late, result=replace(late.result, players=players))
    rows = {row[1]: row[3:6] for row in times_table(collected(late)).rows}
    assert rows == {"a": ("2", "0.020", "0.030"), "b": ("1", "0.020", "0.020")}


def test_an_engine_that_never_moved_has_no_time_per_move_and_comes_last(record: Make) -> None:
    silent = replace(record(), record=(Ply(1, "e8", 20 * MS),))
    rows = [row[1:6] for row in times_table(collected(silent)).rows]
    assert rows == [("b", "1", "1", "0.020", "0.020"), ("a", "1", "0", "", "")]
