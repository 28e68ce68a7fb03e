"""Games are taken out of a tournament: a worker's, an engine's, or those that an engine lost unplayed."""

from __future__ import annotations

import json
import shlex
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from arena.scoring import was_played
from arena.store import GameSearch, Store
from arena.store.damage import check_database
from referee import Termination
from tests.arena.forked import arena
from tests.arena.invoking import invoke
from tests.arena.run.test_run_process import HOSTILE, results, write
from tests.arena.stored import new_store
from tests.sample_games import spring


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """The six games of spring: the first three of this machine, the others of a worker."""
    path = tmp_path / "arena.db"
    games = [replace(game, worker="" if number < 3 else "lab3") for number, game in enumerate(spring())]
    new_store(path, "spring", games=games).close()
    return path


def call(*words: str, database: Path) -> tuple[int, str, str]:
    done = invoke(*words, "--db", database)
    return done.exit_code, done.stdout, done.stderr


def test_each_worker_has_its_games_forfeits_and_depth(database: Path) -> None:
    code, out, _ = call("stats", "--json", database=database)
    assert code == 0
    assert json.loads(out)["workers"] == [
        {"worker": "", "games": 3, "void": 0, "forfeits": {"crash": 1}, "depth": 5.0},
        {"worker": "lab3", "games": 3, "void": 0, "forfeits": {}, "depth": 5.0},
    ]
    assert "#  worker          games  lost on time" in call("stats", database=database)[1]


def test_the_games_of_a_worker_become_void_and_are_missing_then(database: Path) -> None:
    code, _, err = call("void", "spring", "--worker", "lab3", database=database)
    assert (code, err) == (2, "error: 3 games of spring would be void; confirm with --force\n")
    code, out, _ = call("void", "spring", "--worker", "lab3", "--force", database=database)
    assert (code, out) == (0, "3 games of spring now void; the next `arena run` plays them\n")
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
    assert "no such game counts in the tournament 'spring'" in err


def test_a_forfeit_in_a_void_game_counts_no_more(tmp_path: Path) -> None:
    path = tmp_path / "arena.db"
    with closing(Store.open(path, create=True)) as store:
        store.begin_tournament("spring", {})
        store.add_games([replace(game, worker="lab3") for game in spring()])
        assert store.game(3).result.players[1].forfeit is Termination.CRASH
        played = store.finder.results(GameSearch("spring", worker="lab3"))
        store.make_void([result.id or 0 for result in played], "no reason")
        assert store.game(3).result.players[1].forfeit is None
    (row,) = json.loads(call("stats", "--json", database=path)[1])["workers"]
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
    """A void game gets a new checksum, which would hide the damage permanently."""
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute(damage)
    code, _, err = call("void", "--worker", "lab3", "--force", database=database)
    assert code == 2
    assert "arena db" in err
    with closing(Store.open(database, create=False)) as store:
        assert store.finished("spring") == {game.result.key for game in spring()}
    assert list(check_database(database).damaged) == [6]


def test_void_wants_either_a_worker_or_an_engine(database: Path) -> None:
    for words in ((), ("--worker", "lab3", "--engine", "alpha")):
        code, _, err = call("void", *words, database=database)
        assert code == 2
        assert "name either a worker with --worker NAME, or an engine with --engine NAME" in err


def test_all_games_of_an_engine_become_void_and_no_others(database: Path) -> None:
    code, out, _ = call("void", "--engine", "alpha", "--force", database=database)
    with closing(Store.open(database, create=False)) as store:
        others = {
            game.result.key for game in spring() if "alpha" not in {seat.name for seat in game.result.players}
        }
        assert 0 < len(others) < len(spring())
        assert store.finished("spring") == others
    assert (code, out) == (
        0,
        f"{len(spring()) - len(others)} games of spring now void; the next `arena run` plays them\n",
    )


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--engine", "alpha", "--unplayed"], "no such game counts in the tournament 'spring'"),
        (["--engine", "alhpa"], "no game there has the engine 'alhpa'; did you mean alpha?"),
        (["--worker", "lab3", "--unplayed"], "--unplayed needs an engine: --engine NAME"),
    ],
)
def test_a_choice_without_games_is_explained(words: list[str], problem: str, database: Path) -> None:
    code, _, err = call("void", *words, database=database)
    assert code == 2
    assert problem in err


def test_a_tournament_that_is_running_stays_as_it_is(database: Path) -> None:
    with closing(Store.open(database, create=False)) as store:
        store.claim("spring")
        code, _, err = call("void", "--worker", "lab3", database=database)
        assert code == 2
        assert "the tournament 'spring' is being run by" in err
        assert len(store.finished("spring")) == 6
    assert call("void", "--worker", "lab3", "--force", database=database)[0] == 0


FORMATS = {
    "round-robin": "games_per_pairing = 4",
    "swiss": "rounds = 3\ngames_per_pairing = 2",
    "knockout": "games_per_pairing = 6",
    "ladder": "max_games = 30",
}


@pytest.mark.system
@pytest.mark.parametrize("form", FORMATS)
def test_a_repaired_engine_plays_the_games_that_it_lost_unplayed(form: str, tmp_path: Path) -> None:
    engine = tmp_path / "bad.py"
    engine.write_text("raise SystemExit")
    file = write(
        tmp_path,
        *((name, "honest") for name in "bcd"),
        format=f'"{form}"',
        more=f'[[engines]]\nname = "bad"\ncommand = ["{sys.executable}", "-S", "{engine}", "honest"]\n',
    )
    file.write_text(f"{FORMATS[form]}\n{file.read_text()}".replace("plies = 12", "plies = 4"))
    first = arena("run", file.name, cwd=tmp_path)
    assert first.returncode == 1, first.stderr
    unplayed = {one.key for one in results(tmp_path) if not was_played(one.players)}
    opening = [line for line in first.stderr.splitlines() if "bad lost its remaining games unplayed" in line]
    assert bool(opening) == bool(unplayed) == (form != "ladder")
    if not unplayed:
        done = arena("void", "t", "--engine", "bad", "--unplayed", cwd=tmp_path)
        assert "no such game counts in the tournament 't'" in done.stderr
        return
    words = shlex.split(opening[0].partition(" open them with: ")[2])[1:]
    assert words == ["void", "t", "--engine", "bad", "--unplayed", "--db", "arena.db"]
    assert f"{len(unplayed)} games of t would be void" in arena(*words, cwd=tmp_path).stderr
    engine.write_text(HOSTILE.with_name("hostile.py").read_text())
    forgotten = arena("run", file.name, cwd=tmp_path).stderr
    command = opening[0].partition(" open them with: ")[2]
    assert f"bad lost games unplayed while it was disabled; to play them, first: {command}" in forgotten
    void = arena(*words, "--force", cwd=tmp_path)
    assert void.returncode == 0, void.stderr
    assert void.stdout.startswith(f"{len(unplayed)} games of t now void")
    second = arena("run", file.name, cwd=tmp_path)
    assert second.returncode == 0, second.stderr
    assert "warning: bad: its program has changed since its last game in this tournament" in second.stderr
    counted = [one for one in results(tmp_path) if one.counts]
    assert all(was_played(one.players) for one in counted)
    if form != "knockout":
        assert unplayed <= {one.key for one in counted}
    third = arena("run", file.name, cwd=tmp_path)
    assert "\n0 games played" in third.stderr


@pytest.mark.system
def test_the_games_of_an_engine_with_a_wrong_command_are_played_again(tmp_path: Path) -> None:
    write(tmp_path, ("good", "honest"), ("wrong", "plays-illegal"))
    assert arena("run", "t.toml", cwd=tmp_path).returncode == 0
    lost = [row for row in results(tmp_path) if row.termination is Termination.ILLEGAL]
    assert lost
    write(tmp_path, ("good", "honest"), ("wrong", "honest"))
    assert arena("void", "t", "--engine", "wrong", "--force", cwd=tmp_path).returncode == 0
    again = arena("run", "t.toml", cwd=tmp_path)
    assert f"\n{len(lost)} games played" in again.stderr
    assert Termination.ILLEGAL not in {row.termination for row in results(tmp_path) if row.counts}
