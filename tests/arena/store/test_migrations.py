"""The schema of a database: a new one has all tables, an older one is changed and keeps every row."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from arena.address import ServerAddress
from arena.errors import StoreError
from arena.model import GameRecord
from arena.store import Store, database
from arena.store.damage import rescue
from arena.store.database import HEAD, REVISIONS
from arena.store.rows import metadata
from arena.web.pages.game import game_view
from tests.missing_tools import needs

NEXT = """
import sqlalchemy as sa
from alembic import op

revision = "next"
down_revision = "{HEAD}"

def upgrade() -> None:
    with op.batch_alter_table("game") as batch:
        batch.add_column(sa.Column("event", sa.String(), nullable=False, server_default="none"))
        batch.alter_column("reason", server_default="unknown")
    {then}
"""


def tables(path: Path) -> dict[str, str]:
    """Return the SQL of all tables and indexes, without white space and the quotes of renamed tables."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        return {name: "".join(sql.replace('"', "").split()) for name, sql in rows}


def rows(path: Path, table: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"SELECT * FROM {table}").fetchall()


@pytest.fixture
def old(tmp_path: Path, record: Callable[..., GameRecord]) -> Path:
    """A database of the current schema with two games."""
    path = tmp_path / "old.db"
    with closing(Store.open(path, create=True)) as store:
        store.begin_tournament("cup", {})
        store.add_games([record(number=0), record(number=1)])
    return path


def next_revision(folder: Path, then: str = "") -> Path:
    """Make a folder of migrations with one more, which ends in the given statement."""
    shutil.copytree(REVISIONS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / "next.py").write_text(NEXT.format(HEAD=HEAD, then=then))
    return folder


@pytest.fixture
def tomorrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that pretends to be the next version: its migration ends in the given statement."""

    def pretend(then: str = "") -> None:
        folder = next_revision(tmp_path / "migrations 100%", then)
        monkeypatch.setattr(database, "REVISIONS", folder)
        monkeypatch.setattr(database, "HEAD", "next")

    return pretend


def test_the_newest_revision_is_the_one_that_new_files_are_stamped_with() -> None:
    config = Config()
    config.set_main_option("script_location", str(REVISIONS))
    assert ScriptDirectory.from_config(config).get_heads() == [HEAD]


def test_an_older_database_is_brought_up_to_date_with_all_its_rows(
    old: Path, tomorrow: Callable[..., None]
) -> None:
    before = {table: rows(old, table) for table in ("tournament", "engine", "game", "player", "record")}
    tomorrow()
    with closing(Store.open(old, create=False)) as store:
        assert store.finished("cup") == {"quoridor:0", "quoridor:1"}
    assert rows(old, "alembic_version") == [("next",)]
    assert rows(old, "game") == [(*row, "none") for row in before.pop("game")]
    assert {table: rows(old, table) for table in before} == before
    assert "DEFAULT'unknown'" in tables(old)["game"]


@pytest.fixture
def first(old: Path) -> Path:
    """A database of the first schema."""
    with closing(sqlite3.connect(old)) as connection, connection:
        connection.execute("ALTER TABLE record DROP COLUMN opening_name")
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
    return old


def test_a_rescue_of_an_earlier_schema_loses_no_game(first: Path, tmp_path: Path) -> None:
    saved = tmp_path / "saved.db"
    with pytest.raises(StoreError, match="has the schema '0001'"):
        rescue(first, saved)
    assert not saved.exists()
    Store.open(first, create=False).close()
    assert rescue(first, saved).games == 2


def test_a_database_of_the_first_schema_takes_games_with_named_openings(
    first: Path, record: Callable[..., GameRecord]
) -> None:
    game = record(number=2)
    named = replace(game, opening=replace(game.opening, name="Twin walk"))
    with closing(Store.open(first, create=False)) as store:
        store.add_games([named])
        assert [store.game(number).opening.name or "" for number in (1, 2, 3)] == ["", "", "Twin walk"]
        assert game_view(store.game(3)).opening == "opening Twin walk"


def test_a_migration_that_fails_leaves_the_file_as_it_was(old: Path, tomorrow: Callable[..., None]) -> None:
    before = tables(old), rows(old, "game")
    tomorrow("raise RuntimeError('half way')")
    with pytest.raises(RuntimeError, match="half way"):
        Store.open(old, create=False)
    assert (tables(old), rows(old, "game")) == before
    assert rows(old, "alembic_version") == [(HEAD,)]


def test_a_migration_that_would_lose_what_others_refer_to_is_undone(
    old: Path, tomorrow: Callable[..., None]
) -> None:
    before = rows(old, "game")
    tomorrow('op.execute("DELETE FROM game")')
    with pytest.raises(StoreError, match=r"old\.db: .* damaged: some rows refer to missing rows"):
        Store.open(old, create=False)
    assert rows(old, "game") == before


@needs("postgresql")
@pytest.mark.system
def test_on_a_server_new_tables_have_all_indexes(server_database: str) -> None:
    with (
        closing(Store.open(ServerAddress(server_database), create=True)) as store,
        store.database.reading() as session,
    ):
        assert compare_metadata(MigrationContext.configure(session.connection()), metadata) == []
        condition = "SELECT pg_get_expr(indpred, indrelid) FROM pg_index WHERE indpred IS NOT NULL"
        (only,) = session.connection().exec_driver_sql(condition).scalars()
    assert only == "((termination)::text <> 'void'::text)"


@needs("postgresql")
@pytest.mark.system
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            "UPDATE alembic_version SET version_num = '9999'",
            "another version of leapfrog-arena .schema '9999'",
        ),
        (
            "UPDATE alembic_version SET version_num = 'x'",
            "another version of leapfrog-arena .schema 'x'",
        ),
        ("DELETE FROM alembic_version", "its table alembic_version is empty"),
        ("DROP TABLE record", "it has no table record"),
        ("ALTER TABLE record DROP COLUMN depths", "it has no column record.depths"),
        ("COMMENT ON TABLE alembic_version IS NULL", "it is not marked as a database of arena"),
    ],
)
def test_a_database_on_a_server_that_is_not_as_arena_made_it_is_one_sentence(
    server_database: str, change: str, message: str
) -> None:
    address = ServerAddress(server_database)
    Store.open(address, create=True).close()
    with psycopg.connect(address.url) as connection:
        connection.execute(change)  # type: ignore[call-overload]  # a constant
    with pytest.raises(StoreError, match=message):
        Store.open(address, create=True)
