"""The worker of a game: `arena stats --by worker` counts by it, and `arena void` takes its games out."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.store import Store
from arena.store.damage import check_database
from referee import Termination
from tests.sample_games import spring


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """The six games of spring: the first three of this machine, the others of a worker."""
    path = tmp_path / "arena.db"
    games = [
        replace(game, worker="" if number < 3 else "lab3", scale=1.5) for number, game in enumerate(spring())
    ]
    with closing(Store.open(path, create=True)) as store:
        store.begin_tournament("spring", {})
        store.add_games(games)
    return path


def call(*words: str, database: Path) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, [*words, "--db", str(database)])
    return done.exit_code, done.stdout, done.stderr


def test_each_worker_has_its_games_forfeits_and_depth(database: Path) -> None:
    code, out, _ = call("stats", "--by", "worker", "--json", database=database)
    assert code == 0
    assert json.loads(out)["workers"] == [
        {"worker": "", "games": 3, "void": 0, "forfeits": {"crash": 1}, "depth": 5.0, "scale": 1.5},
        {"worker": "lab3", "games": 3, "void": 0, "forfeits": {}, "depth": 5.0, "scale": 1.5},
    ]


def test_the_games_of_a_worker_become_void_and_are_missing_then(database: Path) -> None:
    assert (
        call("void", "--worker", "lab3", "--dry-run", database=database)[1]
        == "3 games of spring would become void\n"
    )
    code, out, _ = call("void", "spring", "--worker", "lab3", database=database)
    assert (code, out) == (0, "3 games of spring now void; the next `arena run` plays them again\n")
    with closing(Store.open(database, create=False)) as store:
        assert store.finished("spring") == {game.result.key for game in spring()[:3]}
        void = store.game(4)
    assert void.result.termination is Termination.VOID
    assert void.result.detail == "taken out with all games of the worker lab3"
    assert {(player.rank, player.points, player.forfeit) for player in void.result.players} == {
        (None, 0.0, None)
    }
    assert void.record == spring()[3].record
    code, _, err = call("void", "--worker", "lab3", database=database)
    assert code == 2
    assert "a worker 'lab3' has played no game that counts in the tournament 'spring'" in err


def test_a_forfeit_in_a_void_game_counts_no_more(tmp_path: Path) -> None:
    path = tmp_path / "arena.db"
    with closing(Store.open(path, create=True)) as store:
        store.begin_tournament("spring", {})
        store.add_games([replace(game, worker="lab3") for game in spring()])
        assert store.game(3).result.players[1].forfeit is Termination.CRASH
        assert store.make_void("spring", "lab3") == 6
        assert store.game(3).result.players[1].forfeit is None
    (row,) = json.loads(call("stats", "--by", "worker", "--json", database=path)[1])["workers"]
    assert (row["void"], row["forfeits"]) == (6, {})


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE record SET moves = '[]' WHERE game_id = 6",
        "UPDATE game SET started = started + 1 WHERE id = 6",
        "UPDATE player SET points = 0.5 WHERE game_id = 6",
        "DELETE FROM record WHERE game_id = 6",
    ],
)
def test_a_damaged_game_is_not_made_void_and_neither_are_the_others(database: Path, damage: str) -> None:
    """A void game gets a new checksum, which would hide the damage for ever."""
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute(damage)
    code, _, err = call("void", "--worker", "lab3", database=database)
    assert code == 2
    assert "arena db" in err
    with closing(Store.open(database, create=False)) as store:
        assert store.finished("spring") == {game.result.key for game in spring()}
    assert list(check_database(database).damaged) == [6]


def test_ratings_forget_the_games_of_a_worker(database: Path) -> None:
    def ratings() -> dict[str, tuple[float, int]]:
        rows = json.loads(call("ratings", "--json", database=database)[1])[0]["ranking"]
        return {row["engine"]: (row["mu"], row["games"]) for row in rows}

    before = ratings()
    call("void", "--worker", "lab3", database=database)
    after = ratings()
    assert sum(games for _, games in before.values()) == 12
    assert sum(games for _, games in after.values()) == 6
    assert after != before


def test_records_keep_the_worker_and_the_scale(database: Path, tmp_path: Path) -> None:
    for form in ("text", "jsonl"):
        out, copy = tmp_path / f"games.{form}", tmp_path / f"{form}.db"
        assert call("export", "--format", form, "-o", str(out), database=database)[0] == 0
        assert call("import", str(out), database=copy)[0] == 0
        with closing(Store.open(copy, create=False)) as store:
            assert [(store.game(n).worker, store.game(n).scale) for n in (3, 4)] == [("", 1.5), ("lab3", 1.5)]
