"""Files that arena cannot use as its database: each gives one clear message, and nothing is lost."""

import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import pytest

from arena.address import ServerAddress
from arena.errors import DamagedDatabase, StoreError, StoreUnavailable
from arena.model import GameRecord
from arena.store import Store, damage
from arena.store.database import HEAD
from arena.store.errors import damaged
from arena.store.rows import metadata
from arena.store.sqlite import APPLICATION_ID
from tests.rights import unprivileged

MakeRecord = Callable[..., GameRecord]


def refused(path: Path, *, create: bool = True) -> str:
    """Return the message with which a file is refused, without the name of the file."""
    with pytest.raises(StoreError) as caught:
        Store.open(path, create=create)
    name, _, message = str(caught.value).partition(": ")
    assert name == str(path)
    assert "\n" not in message
    return message


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "arena.db"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, record: MakeRecord) -> Path:
    """A database with one game. It is copied for each test, because to make one takes much longer."""
    path = tmp_path_factory.mktemp("template") / "arena.db"
    with closing(Store.open(path, create=True)) as store:
        store.begin_tournament("cup", {})
        store.add_games([record()])
    return path


@pytest.fixture
def filled(path: Path, template: Path) -> Path:
    """A database with one game."""
    return Path(shutil.copyfile(template, path))


@pytest.mark.parametrize("content", [b"name = 'cup'\n" * 100, b"xy", b"SQLite format 3\0" + b"\xff" * 4096])
def test_a_file_that_is_no_database_is_left_as_it_is(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert "is not a database" in refused(path)
    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


def test_the_remedy_for_damage_fits_the_place_of_the_database(path: Path) -> None:
    server = ServerAddress("postgresql://me@db.example/arena")
    found = str(damaged(path, "a\n b")).partition("; ")
    assert found[0] == f"{path}: the database is damaged: a b"
    assert found[2] == f"save all games that can be read with: arena db copy --damaged {path} NEW.db"
    assert f"; list the damage with: arena db check '{server}'" in str(damaged(server, "x"))


def test_another_programs_database_is_left_as_it_is(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE bookmark (url TEXT)")
    content = path.read_bytes()
    assert "belongs to another program" in refused(path)
    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


def test_another_programs_database_without_tables_is_left_as_it_is(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA application_id = 12345")
    content = path.read_bytes()
    assert "belongs to another program" in refused(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("revision", ["9999", "0000", "next"])
def test_a_database_of_another_schema_is_left_as_it_is(filled: Path, revision: str) -> None:
    with closing(sqlite3.connect(filled)) as other:
        other.execute("UPDATE alembic_version SET version_num = ?", (revision,))
        other.commit()
    content = filled.read_bytes()
    assert refused(filled) == (
        f"was written by another version of leapfrog-arena (schema '{revision}', this one knows '{HEAD}');"
        " use that version, or choose another database"
    )
    assert filled.read_bytes() == content


def test_a_missing_database_is_made_only_when_asked_for(path: Path) -> None:
    assert "there is no such database" in refused(path, create=False)
    assert not path.exists()
    Store.open(path, create=True).close()
    Store.open(path, create=False).close()


def test_an_empty_file_is_filled_only_when_asked_for(path: Path) -> None:
    path.touch()
    assert "the database is empty" in refused(path, create=False)
    assert path.read_bytes() == b""
    Store.open(path, create=True).close()
    assert path.read_bytes().startswith(b"SQLite format 3")


def test_a_database_is_marked_as_ours(filled: Path) -> None:
    with closing(sqlite3.connect(filled)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_missing_directory_is_named(tmp_path: Path) -> None:
    message = refused(tmp_path / "results" / "arena.db")
    assert f"there is no directory {tmp_path / 'results'}; create it" in message
    assert "there is no such database" in refused(tmp_path / "results" / "arena.db", create=False)


def test_a_directory_that_cannot_be_written_is_named(public_folder: Path) -> None:
    public_folder.chmod(0o555)
    with unprivileged():
        message = refused(public_folder / "arena.db")
    assert f"no file can be created beside it in {public_folder}; get the permissions" in message


def test_a_file_that_cannot_be_written_is_read_but_takes_no_games(
    public_folder: Path, filled: Path, record: MakeRecord
) -> None:
    copy = Path(shutil.copy(filled, public_folder / "arena.db"))
    copy.chmod(0o444)
    with unprivileged(), closing(Store.open(copy, create=True)) as store:
        assert store.finished("cup") == {"quoridor:0"}
        with pytest.raises(
            StoreError, match=rf"^{re.escape(str(copy))}: cannot be written; get the permission"
        ):
            store.add_games([record(number=1)])


def test_a_locked_database_is_waited_for_and_then_named(
    filled: Path, record: MakeRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.store.sqlite.BUSY_TIMEOUT", 0.05)
    with closing(Store.open(filled, create=True)) as store:
        with closing(sqlite3.connect(filled, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(
                StoreError, match=r"arena\.db: is locked by another program; close that program"
            ):
                store.add_games([record(number=1)])
            assert store.finished("cup") == {"quoridor:0"}  # reading goes on
        store.add_games([record(number=1)])
        assert store.finished("cup") == {"quoridor:0", "quoridor:1"}


def test_a_locked_database_is_not_taken_for_a_damaged_one(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.store.sqlite.BUSY_TIMEOUT", 0.05)
    with closing(sqlite3.connect(filled, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN IMMEDIATE")
        for look in (damage.check_database, partial(damage.rescue, target=tmp_path / "saved.db")):
            with pytest.raises(
                StoreUnavailable, match=r"arena\.db: is locked by another program; close that"
            ):
                look(filled)
    assert not (tmp_path / "saved.db").exists()
    assert damage.rescue(filled, tmp_path / "saved.db").sound


def test_a_full_disk_stores_none_of_a_batch_and_loses_nothing(filled: Path, record: MakeRecord) -> None:
    batch = [record(number=number) for number in range(1, 500)]
    with closing(Store.open(filled, create=True)) as store:
        with store.database._writer.connect() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 5}")
        with pytest.raises(StoreError, match=r"arena\.db: the disk is full; make room and start again"):
            store.add_games(batch)
        assert store.finished("cup") == {"quoridor:0"}
        with store.database._writer.connect() as connection:
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 5000}")
        store.add_games(batch)
        assert len(store.finished("cup")) == 500


def test_a_damaged_file_is_named_with_what_to_do(filled: Path, record: MakeRecord) -> None:
    with closing(Store.open(filled, create=True)) as store:
        store.add_games([record(number=number) for number in range(1, 300)])
    content = bytearray(filled.read_bytes())
    content[4096 * 30 :] = b"\x5a" * (len(content) - 4096 * 30)  # after the schema
    filled.write_bytes(content)
    with (
        closing(Store.open(filled, create=True)) as store,
        pytest.raises(
            StoreError, match=r"arena\.db: the database is damaged: SQLite says: .* arena db copy --damaged"
        ),
    ):
        store.results()


LINE = {
    "tournament": ("name",),
    "engine": ("name", "version", "program", "options"),
    **{
        table: tuple(column.name for column in metadata.tables[table].columns)
        for table in ("game", "player", "record")
    },
}
"""The columns of which a game's line in an export is made."""


@pytest.mark.parametrize(("table", "column"), [(table, name) for table in LINE for name in LINE[table]])
def test_a_change_of_any_value_of_a_game_is_noticed(filled: Path, table: str, column: str) -> None:
    if column in {"id", "game_id", "tournament_id"}:
        return
    with closing(sqlite3.connect(filled)) as editor:
        (value,) = editor.execute(f"SELECT {column} FROM {table}").fetchone()
        other = "x" if value is None else value + 1 if isinstance(value, int | float) else f"{value}x"
        first = "seat = 0" if table == "player" else "rowid = 1"
        editor.execute(f"UPDATE {table} SET {column} = ? WHERE {first}", (5 if column == "seat" else other,))
        editor.commit()
    with (
        closing(Store.open(filled, create=False)) as store,
        pytest.raises(StoreError, match="the database is damaged: "),
    ):
        store.game(1)


VALUE = {
    "game": ("tournament_id", "number", "key", "game", "termination", "duration"),
    "player": ("engine_id", "rank", "points", "forfeit"),
    "engine": ("name",),
    "tournament": ("name", "created"),
}


@pytest.mark.parametrize("value", ["'abc'", "7", "0.25", "NULL", "9e999", "x'ff'", "cast(x'ff' AS text)"])
@pytest.mark.parametrize("column", [f"{table}.{name}" for table, names in VALUE.items() for name in names])
def test_a_value_of_any_type_gives_a_sentence_or_a_value_of_the_right_type(
    filled: Path, column: str, value: str
) -> None:
    table, name = column.split(".")
    with closing(sqlite3.connect(filled)) as editor:
        editor.execute("PRAGMA ignore_check_constraints = ON")
        with suppress(sqlite3.IntegrityError):  # SQLite itself refuses this value
            editor.execute(
                f"UPDATE {table} SET {name} = {value} WHERE rowid = 1"
                if table != "player"
                else f"UPDATE {table} SET {name} = {value} WHERE seat = 0"
            )
        editor.commit()
    calls: list[Callable[[Store], object]] = [
        Store.tally,
        Store.tournaments,
        Store.results,
        lambda store: store.endings("cup"),
        lambda store: store.rating_lists.scored("quoridor"),
        lambda store: store.rating_lists.opening_groups("quoridor"),
        lambda store: store.rating_lists.repeated("quoridor"),
        lambda store: store.contents(),
    ]
    with closing(Store.open(filled, create=False)) as store:
        for call in calls:
            with suppress(DamagedDatabase):
                repr(call(store))


@pytest.mark.parametrize("table", [*metadata.tables, "alembic_version"])
def test_a_missing_table_is_named(filled: Path, table: str) -> None:
    with closing(sqlite3.connect(filled)) as editor:
        editor.execute(f"DROP TABLE {table}")
        editor.commit()
    content = filled.read_bytes()
    assert f"the database is damaged: it has no table {table}" in refused(filled)
    assert filled.read_bytes() == content


def test_a_missing_number_of_the_schema_is_damage(filled: Path) -> None:
    with closing(sqlite3.connect(filled)) as editor:
        editor.execute("DELETE FROM alembic_version")
        editor.commit()
    assert "its table alembic_version is empty" in refused(filled)


def test_opening_a_database_of_this_schema_imports_no_migrations(path: Path) -> None:
    script = (
        "import sys, pathlib; from arena.store import Store\n"
        "for _ in range(2): Store.open(pathlib.Path(sys.argv[1]), create=True).close()\n"
        "print('alembic' in sys.modules, 'trio' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"


def test_sqlalchemy_prints_nothing_by_itself() -> None:
    """It logs an interrupt that comes while it closes a connection, with a traceback."""
    program = "import arena.store.database, logging; logging.getLogger('sqlalchemy.pool.x').error('x')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr == ""
