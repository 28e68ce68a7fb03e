"""`arena db check` and `arena db copy --damaged`: find damage, and save what can be read."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from zlib import crc32

import pytest

from arena.store import Store, damage
from tests.arena.invoking import invoke as arena
from tests.arena.invoking import refusal
from tests.arena.store.copies import games
from tests.arena.stored import new_store


def export(path: Path) -> str:
    return arena("export", "--jsonl", "--db", path).stdout


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
    saved = arena("db", "copy", "--damaged", path, tmp_path / "new.db")
    assert (saved.exit_code, saved.stdout) == (0, f"{tmp_path / 'new.db'}: saved 7 of 7 games\n")
    assert export(tmp_path / "new.db") == export(path)


DAMAGE = {
    "UPDATE record SET moves = cast(x'5b22ff225d' AS text) WHERE game_id = 2": (
        "game 2: ",
        "saved 6 of 7 games",
    ),
    "UPDATE record SET moves = '[1]' WHERE game_id = 2": (
        "game 2: it holds a value that arena never writes",
        "saved 6 of 7 games",
    ),
    "DELETE FROM record WHERE game_id = 2": ("game 2: ", "saved 6 of 7 games"),
    "UPDATE record SET moves = replace(moves, 'e3', 'e4') WHERE game_id = 2": (
        "game 2: it is not as arena stored it",
        "saved 6 of 7 games",
    ),
    "UPDATE tournament SET settings = '[1' WHERE id = 1": (
        "the settings of the tournament 'spring' are lost",
        "saved 7 of 7 games",
    ),
    "UPDATE tournament SET name = x'ff' WHERE id = 1": (
        "the tournament 1 is lost: its name is damaged",
        "saved 1 of 7 games",
    ),
    "UPDATE player SET points = 'abc' WHERE game_id = 4": (
        "game 4: it holds a value that arena never writes (in the column player.points)",
        "saved 6 of 7 games",
    ),
    "UPDATE player SET rank = 3 WHERE game_id = 4": (
        "game 4: it is not as arena stored it",
        "saved 6 of 7 games",
    ),
    "DELETE FROM alembic_version": ("its table alembic_version is empty", "saved 7 of 7 games"),
    "DELETE FROM player WHERE game_id = 5": ("game 5: ", "saved 6 of 7 games"),
    "DELETE FROM game WHERE id = 6": ("game 6: a part of it is missing", "saved 6 of 7 games"),
    "DROP TABLE record": ("it has no table record", "saved 0 of 7 games"),
    "DELETE FROM engine WHERE id = 1": ("games 1 to ", "saved "),
    "DROP TABLE checkpoint": ("it has no table checkpoint", "saved 7 of 7 games"),
    "UPDATE engine SET name = 'zeta' WHERE id = 2": ("games 1 to 2: it is not as arena stored it", "saved "),
}


@pytest.mark.parametrize("statement", DAMAGE)
def test_damage_is_listed_and_everything_else_is_saved(path: Path, tmp_path: Path, statement: str) -> None:
    change(path, statement)
    content = path.read_bytes()
    listed, saved = DAMAGE[statement]
    checked = arena("db", "check", path)
    assert checked.exit_code == 1
    assert f"{path}: {listed}" in checked.stdout
    assert checked.stdout.splitlines()[-1].endswith(f"arena db copy --damaged {path} NEW.db")
    rescued = arena("db", "copy", "--damaged", path, tmp_path / "new.db")
    assert rescued.stdout.startswith(f"{tmp_path / 'new.db'}: {saved}")
    assert arena("db", "check", tmp_path / "new.db").exit_code == 0
    assert path.read_bytes() == content


def test_a_rescue_keeps_the_settings_of_tournaments_and_rating_lists(path: Path, tmp_path: Path) -> None:
    with closing(Store.open(path, create=False)) as store:
        store.rating_lists.set("quoridor", {"beta": "2"})
        before = store.contents()
    change(path, "UPDATE record SET moves = '[]' WHERE game_id = 7")
    assert arena("db", "copy", "--damaged", path, tmp_path / "new.db").exit_code == 1
    with closing(Store.open(tmp_path / "new.db", create=False)) as store:
        after = store.contents()
    assert (after.tournaments, after.rating_lists) == (before.tournaments, before.rating_lists)


def test_json_has_everything_that_is_damaged(path: Path) -> None:
    assert json.loads(arena("db", "check", path, "--json").stdout) == {
        "sound": True,
        "games": 7,
        "damaged": [],
        "problems": [],
    }
    for statement in (
        "UPDATE record SET moves = '[1]' WHERE game_id = 2",
        "UPDATE player SET rank = 3 WHERE game_id = 4",
        "UPDATE tournament SET settings = '[1' WHERE id = 1",
    ):
        change(path, statement)
    checked = arena("db", "check", path, "--json")
    found = json.loads(checked.stdout)
    (problem,) = found.pop("problems")
    assert problem.startswith("the settings of the tournament 'spring' are lost")
    moves, rank = found["damaged"]
    assert moves["reason"].startswith("it holds a value that arena never writes")
    assert rank == {"game": 4, "reason": "it is not as arena stored it"}
    assert found == {"sound": False, "games": 5, "damaged": [moves, rank]}
    assert (checked.exit_code, checked.stderr) == (1, "")


def test_a_game_has_the_checksum_of_its_line_in_an_export(path: Path) -> None:
    lines = arena("export", "--jsonl", "--db", path).stdout.splitlines()
    games = [line.encode() for line in lines if line.startswith('{"game":')]
    with closing(sqlite3.connect(path)) as reader:
        stored = reader.execute("SELECT checksum FROM game ORDER BY id").fetchall()
    assert [(crc32(line),) for line in games] == stored
    assert len(stored) == 7


@pytest.mark.parametrize("words", [("show", "2"), ("export",), ("db", "check"), ("db", "copy")])
def test_a_wrong_checksum_is_damage_to_the_commands_that_read_whole_games(
    path: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    change(path, "UPDATE record SET times = replace(times, '[', '[1') WHERE game_id = 2")
    files = {"check": (path,), "copy": (path, tmp_path / "copy.db")}.get(words[-1], ("--db", path))
    done = arena(*words, *files)
    assert done.exit_code in (1, 2)
    assert "damage" in done.stdout + done.stderr
    assert arena("standings", "spring", "--db", path).exit_code == 0


def test_a_page_that_sqlite_cannot_read_costs_the_games_on_it(tmp_path: Path) -> None:
    path, new = tmp_path / "arena.db", tmp_path / "new.db"
    with closing(Store.open(path, create=True)) as store:
        for name in ("spring", "autumn"):
            store.begin_tournament(name, {})
        store.add_games(games(300))
    whole = export(path).splitlines()
    content = bytearray(path.read_bytes())
    page = next(number for number in range(20, 200) if b'"e2","e8"' in content[4096 * number :][:4096])
    content[4096 * page : 4096 * (page + 1)] = b"\x5a" * 4096
    path.write_bytes(content)
    rescued = damage.rescue(path, new)
    assert rescued.games > 250
    assert rescued.games + len(rescued.damaged) == 300
    assert arena("db", "check", path).exit_code == 1
    assert arena("db", "check", new).exit_code == 0
    saved = arena("show", "300", "--db", new)
    assert saved.exit_code == 0
    assert set(whole) >= {line for line in export(new).splitlines() if line.startswith("[Id ")}


@pytest.mark.parametrize("damage", ["header", "first page", "schema"])
def test_a_file_that_sqlite_cannot_read_at_all_is_one_sentence(
    path: Path, tmp_path: Path, damage: str
) -> None:
    whole = path.read_bytes()
    if damage == "schema":  # SQLite quotes it in its error, and Python cannot read that
        content = whole.replace(b"CREATE TABLE game", b"CREATE \xab\xab\xab\xab\xab game")
    else:
        length = 16 if damage == "header" else 4096
        content = bytes(length) + whole[length:]
    path.write_bytes(content)
    assert arena("db", "check", path).exit_code in {1, 2}
    refused = arena("db", "copy", "--damaged", path, tmp_path / "new.db")
    assert refused.exit_code == 2
    assert refused.stderr == (
        f"error: {path}: nothing can be saved: no game and no tournament of arena can be read\n"
    )
    assert not (tmp_path / "new.db").exists()
    assert path.read_bytes() == content


def test_a_file_without_games_of_arena_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    change(other, "CREATE TABLE bookmark (url TEXT)")
    for words in (("check", other), ("copy", "--damaged", other, tmp_path / "new.db")):
        assert refusal(arena("db", *words)).startswith(f"error: {other}: ")
    assert not (tmp_path / "new.db").exists()
    assert arena("db", "check", tmp_path / "none.db").exit_code == 2
    assert arena("db", "copy", "--damaged", tmp_path / "none.db", tmp_path / "new.db").exit_code == 2


def test_a_check_of_a_database_that_is_in_use_changes_nothing(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("UPDATE rating_list SET settings = settings")
        files = {file: file.read_bytes() for file in path.parent.iterdir() if not file.name.endswith("-shm")}
        assert arena("db", "check", path).exit_code == 0
        assert {file: file.read_bytes() for file in files} == files


def test_a_rescue_that_is_interrupted_leaves_no_new_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, new = tmp_path / "arena.db", tmp_path / "new.db"
    new_store(path, "spring", "autumn", games=games(3)).close()

    def interrupt(*_: object, **__: object) -> None:
        assert new.exists()
        raise KeyboardInterrupt

    monkeypatch.setattr(Store, "add_games", interrupt)
    with pytest.raises(KeyboardInterrupt):
        damage.rescue(path, new)
    assert [file.name for file in tmp_path.glob("new.db*")] == []
