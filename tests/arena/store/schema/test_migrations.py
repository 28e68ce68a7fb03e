"""The migrations: they give the same tables as the models, and keep every row."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlmodel import Session

from arena.address import ServerAddress
from arena.door.register import DoorRegister
from arena.errors import StoreError
from arena.model import GameRecord
from arena.store import Store
from arena.store.file import schema
from arena.store.file.engine import make_engine
from arena.store.rows import metadata
from arena.store.schema import upgrade
from arena.store.schema.migrations import DIRECTORY, HEAD
from arena.store.server.database import ServerDatabase
from arena.store.server.schema import mark
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


@pytest.fixture
def tomorrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that pretends to be the next version: its migration ends in the given statement."""

    def pretend(then: str = "") -> None:
        folder = tmp_path / "migrations 100%"
        shutil.copytree(DIRECTORY, folder, ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "versions" / "next.py").write_text(NEXT.format(HEAD=HEAD, then=then))
        monkeypatch.setattr(upgrade, "DIRECTORY", folder)
        for module in (schema, upgrade):
            monkeypatch.setattr(module, "HEAD", "next")

    return pretend


def test_the_newest_revision_is_the_one_that_new_files_are_stamped_with() -> None:
    config = Config()
    config.set_main_option("script_location", str(DIRECTORY))
    assert ScriptDirectory.from_config(config).get_heads() == [HEAD]


def test_all_migrations_from_nothing_make_the_same_tables_as_the_models(tmp_path: Path) -> None:
    by_models, by_migrations = tmp_path / "models.db", tmp_path / "migrations.db"
    Store.open(by_models, create=True).close()
    by_migrations.touch()
    schema.upgrade(by_migrations)
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


def test_a_door_of_an_older_arena_keeps_its_rows_and_gets_checksums(old: Path) -> None:
    with closing(Store.open(old, create=False)) as store:
        door = DoorRegister(store, "cup")
        ann = door.invite("ann", "token")
        one = door.hand_in(ann.id, "digest", "bot.py", {"command": ["./bot"]}, 9)
        door.note("plan", "hello", one.id)
        before = list(store.doors.rows())
    names, as_now = ("door_participant", "door_submission", "door_line"), tables(old)
    with closing(sqlite3.connect(old)) as connection:  # what the schema 0006 had
        for name in names:
            connection.execute(f"ALTER TABLE {name} DROP COLUMN checksum")
        connection.execute("UPDATE alembic_version SET version_num = '0006'")
        connection.commit()
    with closing(Store.open(old, create=False)) as store:
        assert list(store.doors.rows()) == before
    assert tables(old) == as_now
    assert all(row[-1] for name in names for row in rows(old, name))


def test_the_options_of_games_of_an_older_arena_are_not_known(old: Path) -> None:
    with closing(sqlite3.connect(old)) as connection:  # what the schema 0003 had
        connection.executescript("""
            DROP TABLE door_line;
            DROP TABLE door_submission;
            DROP TABLE door_participant;
            DROP INDEX uq_engine_name_version_program_options;
            ALTER TABLE engine DROP COLUMN options;
            ALTER TABLE game DROP COLUMN worker;
            ALTER TABLE game DROP COLUMN scale;
            CREATE UNIQUE INDEX uq_engine_name_version_program ON engine (name, version, program);
            UPDATE alembic_version SET version_num = '0003';
        """)
    with closing(Store.open(old, create=False)) as store:
        assert {player.options for game in store.results() for player in game.players} == {None}
        assert {(game.worker, game.scale) for game in map(store.game, (1, 2))} == {("", 1.0)}
    with closing(Store.open(old.with_name("new.db"), create=True)):
        assert tables(old) == tables(old.with_name("new.db"))


REVISIONS = [f"{number:04}" for number in range(1, int(HEAD))]


@pytest.fixture
def older(server_database: str, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ServerAddress]:
    """Return a function that makes a database on the server as a version with an older schema would."""

    def make(revision: str) -> ServerAddress:
        address = ServerAddress(server_database)
        database = ServerDatabase(address)
        monkeypatch.setattr(upgrade, "HEAD", revision)
        with database.writing(verify=False) as session:
            upgrade.run_revisions(session.connection())
            mark(session.connection())
        monkeypatch.undo()
        database.close()
        return address

    return make


@needs("postgresql")
@pytest.mark.system
@pytest.mark.parametrize("revision", REVISIONS)
def test_on_a_server_each_older_database_is_brought_up_to_date_with_its_games(
    older: Callable[[str], ServerAddress], revision: str
) -> None:
    address = older(revision)
    with psycopg.connect(address.url) as connection:
        connection.execute(f"""
            INSERT INTO tournament (name, created, settings) VALUES ('cup', 1.5, '{{"seed":"1"}}');
            INSERT INTO engine (name, version) VALUES ('a', '1'), ('b', '1');
            INSERT INTO game (id, tournament_id, number, key, game, termination, reason, detail, plies,
                started, duration)
                SELECT n, 1, n, 'k' || n, 'quoridor', {ENDS}, 'goal', '', 0, 1.5, 5000000000
                FROM generate_series(1, 3) AS n;
            INSERT INTO player SELECT n, seat, 1 + seat, 1 + seat, 1 - seat, NULL, '10', 100, 5000000000
                FROM generate_series(1, 3) AS n, generate_series(0, 1) AS seat;
            INSERT INTO record SELECT n, NULL, '[]', '[]', '[]', '[]', '[]', '[]', ''
                FROM generate_series(1, 3) AS n;
        """)  # type: ignore[call-overload]  # a constant
    with closing(Store.open(address, create=False)) as store:
        assert store.finished("cup") == {"k1", "k3"}
        assert [result.id for result in store.results()] == [1, 2, 3]
        assert store.game(3).duration == 5_000_000_000
        with store._database.reading() as session:
            context = MigrationContext.configure(session.connection())
            assert compare_metadata(context, metadata) == []
            assert indexes(session) == INDEXES


ENDS = "CASE WHEN n = 2 THEN 'void' ELSE 'normal' END"
INDEXES = {
    "ix_door_line_submission_id": "(submission_id)",
    "pk_checkpoint": "(game, model, games)",
    "pk_door_line": "(id)",
    "pk_door_participant": "(id)",
    "pk_door_submission": "(id)",
    "pk_engine": "(id)",
    "pk_game": "(id)",
    "pk_player": "(game_id, seat)",
    "pk_rating_list": "(game)",
    "pk_record": "(game_id)",
    "pk_tournament": "(id)",
    "uq_door_participant_token": "(token)",
    "uq_door_participant_tournament_name": "(tournament, name)",
    "uq_door_submission_participant_id_version": "(participant_id, version)",
    "uq_engine_name_version_program_options": "(name, version, program, options)",
    "uq_game_scored_key": "(tournament_id, key) WHERE ((termination)::text <> 'void'::text)",
    "uq_tournament_name": "(name)",
}


def indexes(session: Session) -> dict[str, str]:
    """Return the columns and conditions of all indexes of our tables."""
    query = "SELECT indexname, substring(indexdef FROM ' USING btree (.*)') FROM pg_indexes"
    rows = session.connection().exec_driver_sql(f"{query} WHERE schemaname = 'public'")
    return {name: text for name, text in rows if name != "alembic_version_pkc"}


@needs("postgresql")
@pytest.mark.system
def test_on_a_server_new_tables_are_the_same_as_those_of_the_migrations(server_database: str) -> None:
    with (
        closing(Store.open(ServerAddress(server_database), create=True)) as store,
        store._database.reading() as session,
    ):
        assert compare_metadata(MigrationContext.configure(session.connection()), metadata) == []
        assert indexes(session) == INDEXES


@needs("postgresql")
@pytest.mark.system
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("UPDATE alembic_version SET version_num = '9999'", "was written by a newer leapfrog-arena"),
        ("UPDATE alembic_version SET version_num = 'x'", "it has a schema 'x', which does not exist"),
        ("DELETE FROM alembic_version", "its table alembic_version is empty"),
        ("DROP TABLE record", "it has no table record"),
        ("ALTER TABLE record DROP COLUMN depths", "it has no column record.depths"),
        ("COMMENT ON TABLE alembic_version IS NULL", "does not say that it is a database of arena"),
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


@needs("postgresql")
@pytest.mark.system
def test_the_tables_of_another_program_on_a_server_are_left_alone(server_database: str) -> None:
    with psycopg.connect(server_database) as connection:
        connection.execute("CREATE TABLE bookmark (url TEXT)")
    with pytest.raises(StoreError, match="has the tables of another program; create an empty database"):
        Store.open(ServerAddress(server_database), create=True)


@needs("postgresql")
@pytest.mark.system
def test_an_empty_database_on_a_server_is_filled_only_when_asked_for(server_database: str) -> None:
    with pytest.raises(StoreError, match="the database is empty; `arena run` fills one"):
        Store.open(ServerAddress(server_database), create=False)
