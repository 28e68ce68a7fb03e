"""`arena db check` and `arena db rescue`: find damage, and save what can be read."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arena.cli import main


def arena(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def export(path: Path) -> str:
    return arena("export", "--db", path).stdout


@pytest.fixture
def path(sample_database: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(sample_database, tmp_path / "arena.db"))


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as editor:
        for statement in statements:
            editor.execute(statement)
        editor.commit()


def test_a_sound_database_has_no_damage_and_is_saved_whole(path: Path, tmp_path: Path) -> None:
    checked = arena("db", "check", path)
    assert (checked.exit_code, checked.stdout) == (
        0,
        f"{path}: no damage: 7 games, every checksum is right\n",
    )
    saved = arena("db", "rescue", path, "-o", tmp_path / "new.db")
    assert (saved.exit_code, saved.stdout) == (0, f"{tmp_path / 'new.db'}: saved 7 of 7 games\n")
    assert export(tmp_path / "new.db") == export(path)


DAMAGE = {
    "UPDATE record SET moves = cast(x'5b22ff225d' AS text) WHERE game_id = 2": (
        "game 2: its moves are lost",
        "saved 6 of 7 games, and only the results of 1",
    ),
    "UPDATE record SET moves = replace(moves, 'e3', 'e4') WHERE game_id = 2": (
        "game 2: its moves are not as arena stored them",
        "saved 6 of 7 games, and only the results of 1",
    ),
    "UPDATE tournament SET settings = '[1'": (
        "the settings of the tournament 'spring' are lost",
        "saved 7 of 7 games",
    ),
    "UPDATE player SET points = 'abc'": ("game 1: its points were damaged", "saved 7 of 7 games"),
    "UPDATE player SET rank = 3 WHERE game_id = 4": (
        "game 4: it is not as arena stored it",
        "saved 6 of 7 games",
    ),
    "DELETE FROM alembic_version": ("its table alembic_version is empty", "saved 7 of 7 games"),
    "DELETE FROM player WHERE game_id = 5": ("game 5: a part of it is missing", "saved 6 of 7 games"),
    "DELETE FROM game WHERE id = 6": ("game 6: a part of it is missing", "saved 6 of 7 games"),
    "DROP TABLE record": ("there is no table record", "saved 0 of 7 games, and only the results of 7"),
    "DROP TABLE engine": ("the name of engine 1 is lost", "saved 7 of 7 games"),
    "DROP TABLE checkpoint": ("there is no table checkpoint", "saved 7 of 7 games"),
    "ALTER TABLE game DROP COLUMN detail": ("there is no column game.detail", "saved 7 of 7 games"),
    "UPDATE engine SET name = 'zeta' WHERE id = 2": (
        "engine 2 is not as arena stored it",
        "saved 7 of 7 games",
    ),
}


@pytest.mark.parametrize("statement", DAMAGE)
def test_damage_is_listed_and_everything_else_is_saved(path: Path, tmp_path: Path, statement: str) -> None:
    change(path, statement)
    content = path.read_bytes()
    listed, saved = DAMAGE[statement]
    checked = arena("db", "check", path)
    assert checked.exit_code == 1
    assert f"{path}: {listed}" in checked.stdout
    assert checked.stdout.splitlines()[-1].endswith(f"arena db rescue {path} -o NEW.db")
    rescued = arena("db", "rescue", path, "-o", tmp_path / "new.db")
    assert rescued.stdout == f"{tmp_path / 'new.db'}: {saved}\n"
    assert arena("db", "check", tmp_path / "new.db").exit_code == 0
    assert path.read_bytes() == content


def test_json_has_everything_that_is_damaged_or_saved(path: Path, tmp_path: Path) -> None:
    assert json.loads(arena("db", "check", path, "--json").stdout) == {
        "sound": True,
        "games": 7,
        "damaged": [],
        "problems": [],
        "verified": True,
    }
    for statement in (
        "UPDATE record SET moves = replace(moves, 'e3', 'e4') WHERE game_id = 2",
        "UPDATE player SET points = 'abc' WHERE game_id = 3",
        "UPDATE player SET rank = 3 WHERE game_id = 4",
        "UPDATE tournament SET settings = '[1' WHERE id = 1",
    ):
        change(path, statement)
    moves = {"game": 2, "reason": "its moves are not as arena stored them"}
    points = {"game": 3, "reason": "its points were damaged, and were computed again from the places"}
    rank = {"game": 4, "reason": "it is not as arena stored it"}
    checked = arena("db", "check", path, "--json")
    found = json.loads(checked.stdout)
    problems = found.pop("problems")
    assert any("the settings of the tournament 'spring' are lost" in problem for problem in problems)
    assert found == {"sound": False, "games": 4, "damaged": [moves, points, rank], "verified": True}
    rescued = arena("db", "rescue", path, "-o", tmp_path / "new.db", "--json")
    saved = json.loads(rescued.stdout)
    assert saved.pop("problems") == problems
    assert saved == {
        "complete": False,
        "saved": 5,
        "lost": [rank],
        "without_moves": [moves],
        "repaired": [points],
    }
    assert (checked.exit_code, rescued.exit_code, checked.stderr, rescued.stderr) == (1, 1, "", "")


def test_a_lost_table_of_moves_costs_no_result(path: Path, tmp_path: Path) -> None:
    tables = arena("standings", "spring", "--db", path).stdout
    change(path, "DROP TABLE record")
    arena("db", "rescue", path, "-o", tmp_path / "new.db")
    assert arena("standings", "spring", "--db", tmp_path / "new.db").stdout == tables


@pytest.mark.parametrize(
    "first", [pytest.param(n, marks=[pytest.mark.slow] if n % 16 else []) for n in range(0, 100, 8)]
)
def test_a_damaged_header_loses_nothing(path: Path, tmp_path: Path, first: int) -> None:
    whole = export(path)
    content = bytearray(path.read_bytes())
    content[first : first + 4] = b"\xa5\x5a\xff\x81"
    path.write_bytes(content)
    rescued = arena("db", "rescue", path, "-o", tmp_path / "new.db")
    assert rescued.stdout.endswith("saved 7 of 7 games\n"), rescued.output
    assert export(tmp_path / "new.db") == whole
    assert path.read_bytes() == content


def test_a_first_page_without_any_byte_loses_nothing(path: Path, tmp_path: Path) -> None:
    whole = export(path)
    path.write_bytes(bytes(4096) + path.read_bytes()[4096:])
    rescued = arena("db", "rescue", path, "-o", tmp_path / "new.db")
    assert rescued.stdout.endswith("saved 7 of 7 games\n"), rescued.output
    assert export(tmp_path / "new.db") == whole


def test_an_existing_file_is_not_replaced(path: Path, tmp_path: Path) -> None:
    (tmp_path / "new.db").write_text("mine")
    refused = arena("db", "rescue", path, "-o", tmp_path / "new.db")
    assert refused.exit_code == 2
    assert "there is a file of this name already" in refused.stderr
    assert (tmp_path / "new.db").read_text() == "mine"


def test_a_file_without_games_of_arena_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    change(other, "CREATE TABLE bookmark (url TEXT)")
    for words in (("check", other), ("rescue", other, "-o", tmp_path / "new.db")):
        refused = arena("db", *words)
        assert refused.exit_code == 2
        assert refused.stderr.startswith(f"error: {other}: ")
    assert not (tmp_path / "new.db").exists()
    assert arena("db", "check", tmp_path / "none.db").exit_code == 2
    assert arena("db", "rescue", tmp_path / "none.db", "-o", tmp_path / "new.db").exit_code == 2


def test_a_check_of_a_database_that_is_in_use_changes_nothing(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("UPDATE rating_list SET settings = settings")
        files = {file: file.read_bytes() for file in path.parent.iterdir() if not file.name.endswith("-shm")}
        assert arena("db", "check", path).exit_code == 0
        assert {file: file.read_bytes() for file in files} == files
