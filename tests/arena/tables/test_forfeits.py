"""The number of forfeits is the same in every table and on every page."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from arena.model import GameRecord
from arena.scoring import tally
from arena.store import Store
from arena.tables.standings import standings
from arena.tables.statistics import GameStatistics
from arena.web.pages.engine import engine_view
from arena.web.pages.games import game_line
from arena.web.pages.tournament import TournamentCollector, tournament_facts
from referee import Termination

T = Termination


def test_all_count_the_seats_that_lost_by_a_fault_in_a_game_that_was_played(
    record: Callable[..., GameRecord], tmp_path: Path
) -> None:
    games = [
        record(),
        record(termination=T.CRASH, forfeits={"b": T.CRASH}, number=1),
        record(("a", 1), ("b", 1), termination=T.CRASH, forfeits={"a": T.CRASH, "b": T.STALL}, number=2),
        record(termination=T.DISABLED, forfeits={"b": T.DISABLED}, number=3),
        record(termination=T.RESIGN, forfeits={"b": T.RESIGN}, number=4),
        record(("a", None), ("b", None), termination=T.VOID, forfeits={"b": T.CRASH}, number=5),
    ]
    collected = TournamentCollector()
    for game in games:
        collected.add(game, game_line(game))
    counted = tally(game.result for game in games)
    statistics = GameStatistics(collected.statistics["quoridor"])
    assert tournament_facts(None, {"quoridor": counted}, collected.every, over=None).forfeits == 3
    assert {one.name: one.forfeits for one in standings(counted)} == {"a": 1, "b": 2}
    with closing(Store.open(tmp_path / "arena.db", create=True)) as store:
        store.begin_tournament(games[0].result.tournament, {})
        store.add_games(games)
        pages = {name: engine_view(store, name, None).forfeit_count for name in "ab"}
    assert pages == {"a": 1, "b": 2}
    assert "; forfeits: 3;" in statistics.summary()
    rows = statistics.forfeits().rows
    assert {row[1]: row[2] for row in rows} == {"a": "1", "b": "2"}
