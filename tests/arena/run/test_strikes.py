"""An engine that fails three times in a row is disabled, and what is stored shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from arena.model import GameRecord, GameResult
from arena.run.game_loop import Strikes, stored_strikes
from arena.store import Store
from referee.outcome import Termination
from tests.arena.stored import new_store


def test_three_failures_in_a_row_are_too_many_and_a_loss_on_time_is_none(
    result: Callable[..., GameResult],
) -> None:
    strikes = Strikes()
    crash = result(("a", 2), ("b", 1), forfeits={"a": Termination.CRASH})
    slow = result(("a", 2), ("b", 1), forfeits={"a": Termination.TIME})
    results = (crash, crash, slow, crash, crash, crash)
    assert [strikes.count(result) for result in results] == [[]] * 5 + [["a"]]
    assert strikes.count(crash) == ["a"]
    strikes.clear(["a", "nobody"])
    assert [strikes.count(crash) for _ in range(2)] == [[], []]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = new_store(tmp_path / "arena.db", "spring")
    yield store
    store.close()


@pytest.mark.parametrize(
    ("games", "strikes"),
    [
        ("", 0),
        ("CCC", 3),
        ("NCCC", 3),
        ("CCCN", 0),  # it played well afterwards
        ("CCCT", 0),  # it lost on time, and did not fail
        ("CCCV", 3),  # a void game says nothing
        ("CCC" + 30 * "D", 3),  # nor do games that it did not play
        ("CCnCC", 2),  # another version played meanwhile
        ("cccN", 0),
        ("ccc", 0),  # only another version failed
    ],
)
def test_stored_games_tell_how_often_a_version_failed_last(
    store: Store, record: Callable[..., GameRecord], games: str, strikes: int
) -> None:
    """Capital letters are games of version 2, small ones of version 1."""
    ends = {"C": Termination.CRASH, "T": Termination.TIME, "D": Termination.DISABLED}
    for number, letter in enumerate(games):
        why = ends.get(letter.upper())
        made = record(number=number, tournament="spring", forfeits={} if why is None else {"a": why})
        players = tuple(
            replace(
                player, version="2" if letter.isupper() else "1", rank=None if letter == "V" else player.rank
            )
            for player in made.result.players
        )
        termination = Termination.VOID if letter == "V" else why or Termination.NORMAL
        store.add_games(
            [replace(made, result=replace(made.result, players=players, termination=termination))]
        )
    assert stored_strikes(store, "spring", {"a": "2"}) == {"a": strikes}
