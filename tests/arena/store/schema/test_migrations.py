"""The migrations: they give the same tables as the models, and keep every row."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from arena.errors import StoreError
from arena.model import GameRecord
from arena.store import Store
from arena.store.database import make_engine
from arena.store.rows import metadata
from arena.store.schema import prepare
from arena.store.schema.migrations import DIRECTORY, HEAD

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


@pytest.fixture
def tomorrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that pretends to be the next version: its migration ends in the given statement."""

    def pretend(then: str = "") -> None:
        folder = tmp_path / "migrations 100%"
        shutil.copytree(DIRECTORY, folder, ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "versions" / "next.py").write_text(NEXT.format(HEAD=HEAD, then=then))
        monkeypatch.setattr(prepare, "DIRECTORY", folder)
        monkeypatch.setattr(prepare, "HEAD", "next")

    return pretend


def test_the_newest_revision_is_the_one_that_new_files_are_stamped_with() -> None:
    config = Config()
    config.set_main_option("script_location", str(DIRECTORY))
    assert ScriptDirectory.from_config(config).get_heads() == [HEAD]


def test_all_migrations_from_nothing_make_the_same_tables_as_the_models(tmp_path: Path) -> None:
    by_models, by_migrations = tmp_path / "models.db", tmp_path / "migrations.db"
    Store.open(by_models, create=True).close()
    by_migrations.touch()
    prepare.upgrade(by_migrations)
    assert tables(by_migrations) == tables(by_models)
    assert rows(by_migrations, "alembic_version") == rows(by_models, "alembic_version") == [(HEAD,)]
    engine = make_engine(by_migrations, begin="BEGIN", connections=1, pragmas=())
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    engine.dispose()


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


def test_the_options_of_games_of_an_older_arena_are_not_known(old: Path) -> None:
    with closing(sqlite3.connect(old)) as connection:  # what the schema 0003 had
        connection.executescript("""
            DROP TABLE door_line;
            DROP TABLE door_submission;
            DROP TABLE door_participant;
            DROP INDEX uq_engine_name_version_program_options;
            ALTER TABLE engine DROP COLUMN options;
            CREATE UNIQUE INDEX uq_engine_name_version_program ON engine (name, version, program);
            UPDATE alembic_version SET version_num = '0003';
        """)
    with closing(Store.open(old, create=False)) as store:
        assert {player.options for game in store.results() for player in game.players} == {None}
    with closing(Store.open(old.with_name("new.db"), create=True)):
        assert tables(old) == tables(old.with_name("new.db"))
