"""`arena verify`: whole games again, the forged ones by name, and what a sample cannot find."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result
from msgspec import structs

from arena.run.verify import escape, sample_size
from arena.store import Store
from tests.arena.invoking import invoke, refusal

FILE = """\
name = "levels"
game = "hops"
database = "levels.db"
time_control = "nodes=1"
games_per_pairing = 4
openings = { kind = "random", plies = 2 }

[[engines]]
name = "one"
command = ["level:1"]

[[engines]]
name = "two"
command = ["level:2"]
options = { Seed = 7 }
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a tournament that was played."""
    file = tmp_path_factory.mktemp("verify") / "levels.toml"
    file.write_text(FILE)
    done = invoke("run", file, "--quiet")
    assert done.exit_code == 0, done.output
    return file


@pytest.fixture
def file(played: Path, tmp_path: Path) -> Path:
    """A copy of the tournament that a test may change."""
    shutil.copy(played.with_name("levels.db"), tmp_path)
    return Path(shutil.copy(played, tmp_path))


def verify(file: Path, *words: str) -> Result:
    return invoke("verify", file, "--sample", "100%", *words)


def change(file: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(file.with_name("levels.db"))) as connection, connection:
        assert connection.execute(statement, values).rowcount > 0


def test_an_honest_tournament_has_no_game_that_differs(file: Path) -> None:
    file.write_text(FILE.replace("options = { Seed = 7 }\n", ""))  # the stored options count
    done = verify(file, "--json")
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)
    assert (data["games"], data["played"], data["differences"]) == (4, 4, [])
    assert data["plies"] > 8
    few = invoke("verify", file)
    assert "1 of 4 games played again" in few.stdout
    assert "a forger of 1 game (5 %) escapes such a sample with a probability of 0.75" in few.stdout


def test_a_forged_move_and_a_forged_result_are_named(file: Path) -> None:
    database = file.with_name("levels.db")
    with closing(Store.open(database, create=False)) as store:
        settings, games = dict(store.settings("levels")), [store.game(number) for number in range(1, 5)]
    database.unlink()
    true_move = games[1].record[0].text
    plies = (structs.replace(games[1].record[0], text="a1a2"), *games[1].record[1:])
    games[1] = replace(games[1], record=plies)
    result = games[2].result
    ranks = [player.rank for player in result.players]
    players = [replace(one, rank=rank) for one, rank in zip(result.players, ranks[::-1], strict=True)]
    games[2] = replace(games[2], result=replace(result, players=tuple(players)))
    with closing(Store.open(database, create=True)) as store:
        store.begin_tournament("levels", settings)
        store.add_games(games)
    done = verify(file)
    assert done.exit_code == 1, done.output
    lines = done.stdout.splitlines()
    assert lines[0] == f"game 2 differs at ply 1: stored is a1a2, now it is {true_move}"
    assert lines[1].startswith(f"game 3 differs at ply {len(games[2].record) + 1}: stored is the end by ")
    assert "differences: 2" in lines[2]


@pytest.mark.parametrize(
    ("statement", "words", "message"),
    [
        ("UPDATE player SET time_control = '10+0.1'", [], "none of its 4 stored games can be verified"),
        ("UPDATE tournament SET name = 'other'", [], "no tournament 'levels'"),
        ("UPDATE tournament SET name = name", ["--sample", "0"], "a number from 0.001 to 100, not '0'"),
    ],
)
def test_what_cannot_be_verified_is_told_in_one_sentence(
    file: Path, statement: str, words: list[str], message: str
) -> None:
    change(file, statement)
    assert message in refusal(verify(file, *words))


def test_an_engine_that_the_file_lacks_is_named(file: Path) -> None:
    file.write_text(FILE.replace('"two"', '"three"'))
    assert "game 1: the tournament file has no engine 'two', which played it" in refusal(verify(file))


def test_games_with_a_clock_are_left_out_and_counted(file: Path) -> None:
    change(file, "UPDATE player SET time_control = 'movetime=0.1' WHERE game_id = 1")
    done = verify(file)
    assert done.exit_code == 0
    assert "3 of 3 games played again" in done.stdout
    assert "1 other game cannot be verified: they have a clock" in done.stdout


def test_a_forger_escapes_as_often_as_is_said() -> None:
    chance = random.Random(1)
    assert escape(10_000, sample_size(10_000, 3), 500) == pytest.approx(1.6e-7, rel=0.1)
    assert escape(10_000, sample_size(10_000, 3), 100) == pytest.approx(0.05, abs=0.005)
    escaped = sum(min(chance.sample(range(40), 6)) >= 2 for _ in range(4000)) / 4000  # 0 and 1 are forged
    assert escaped == pytest.approx(escape(40, 6, 2), abs=0.03)
    assert [sample_size(games, 3) for games in (1, 40, 1000)] == [1, 2, 30]
