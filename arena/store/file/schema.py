"""The schema of a file: check whose file it is, create the tables, bring an older schema up to date.

A new file gets its tables from `arena.store.rows`, and the number of the newest revision. Alembic takes long
to import, and only a file with another number needs it.
"""

from __future__ import annotations

import sqlite3
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, create_mock_engine
from sqlalchemy.exc import OperationalError
from sqlalchemy.schema import ExecutableDDLElement

from arena.errors import MissingDatabase, StoreError
from arena.store import checksums
from arena.store.errors import damaged, explained
from arena.store.file.engine import make_engine
from arena.store.rows import metadata
from arena.store.schema.column_types import wrong_value
from arena.store.schema.migrations import HEAD
from arena.store.schema.shape import OWN_TABLES, columns, later_part_of, missing_part_of
from arena.store.schema.upgrade import check_revision, run_revisions

if TYPE_CHECKING:
    from arena.store.file.database import FileDatabase

__all__ = ["APPLICATION_ID", "prepare", "revision_of", "upgrade"]

APPLICATION_ID: Final = 0x4C46_4152
"""``LFAR`` in the file's header marks a database of arena."""

_EMPTY: Final = ""


def prepare(database: FileDatabase, *, create: bool) -> None:
    """Make sure that the file has the tables of `arena.store.rows`.

    Raises:
        StoreError: there is no database and ``create`` is false, the file belongs to another program or has a
            newer schema, or the file or the machine has a fault. The file is not changed.
    """
    if not create and not _exists(database.path):
        raise MissingDatabase(f"{database.path}: there is no such database; `arena run` creates one")
    connection = database.open(create=create)
    revision = revision_of(database.path, connection)
    if revision == _EMPTY:
        if not create:
            raise MissingDatabase(f"{database.path}: the database is empty; `arena run` fills one")
        _create(database)
        revision = revision_of(database.path, connection)
    if revision != HEAD:
        with explained(database.path):
            if later_part_of(columns(connection), revision):
                raise damaged(database.path, f"its tables are not those of its schema {revision[:20]!a}")
        check_revision(database.path, revision, partial(damaged, database.path))
        upgrade(database.path)
    with explained(database.path):
        if missing := missing_part_of(columns(connection)):
            raise damaged(database.path, f"it has no {missing}")


def _exists(path: Path) -> bool:
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        pass  # opening the file reports the reason
    return True


def revision_of(path: Path, connection: sqlite3.Connection) -> str:
    """Return the number of the schema; "" for a file without tables. Write nothing: the file may be foreign.

    Raises:
        StoreError: the file belongs to another program, is damaged, or the machine has a fault.
    """
    with explained(path):
        try:
            return _revision(path, connection)
        except sqlite3.OperationalError as error:
            # Each of these statements is right for any file.
            if error.sqlite_errorcode == sqlite3.SQLITE_ERROR:
                raise damaged(path, f"SQLite says: {error}") from error
            raise
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB and _looks_like_ours(path):
                raise damaged(path, "its header is not that of a database") from error
            raise


def _contents(connection: sqlite3.Connection) -> tuple[int, set[str]]:
    """Return the application id and the names of the tables, which another program may create meanwhile."""
    application = _application(connection)
    while True:
        names = {str(name) for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        before, application = application, _application(connection)
        if application == before:
            return application, names


def _application(connection: sqlite3.Connection) -> int:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    return int(application)


def _revision(path: Path, connection: sqlite3.Connection) -> str:
    application, names = _contents(connection)
    if application == APPLICATION_ID:
        if "alembic_version" not in names:
            raise damaged(path, "it has no table alembic_version, which has the number of its schema")
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        if row is None:
            raise damaged(path, "its table alembic_version is empty, so the number of its schema is unknown")
        return str(row[0])
    if len(names & OWN_TABLES) > len(OWN_TABLES) // 2:
        raise damaged(path, "its header does not say that it is a database of arena")
    if application or names:
        raise StoreError(
            f"{path}: is another program's database; choose another file name (the file was not changed)"
        )
    return _EMPTY


def _looks_like_ours(path: Path) -> bool:
    """Return whether a file that SQLite refuses has the schema of arena in its first pages."""
    try:
        with path.open("rb") as file:
            return b"CREATE TABLE alembic_version" in file.read(1 << 18)
    except OSError:
        return False


def _create(database: FileDatabase) -> None:
    with database.writing(verify=False) as session:
        connection = session.connection()
        # Another program may have created the tables while this one waited for the lock.
        if connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar_one() == 0:
            for statement in _statements():
                connection.exec_driver_sql(statement)
            _stamp(connection)


@cache
def _statements() -> tuple[str, ...]:
    """Return the SQL that creates all tables. To compile it takes much longer than to run it."""
    statements: list[str] = []

    def compiled(statement: ExecutableDDLElement, *_: object) -> None:
        statements.append(str(statement.compile(dialect=mock.dialect)))

    mock = create_mock_engine("sqlite://", compiled)
    metadata.create_all(mock, checkfirst=False)
    return tuple(statements)


def _stamp(connection: Connection) -> None:
    """Mark the file as a database of arena, and store the number of its schema as alembic does."""
    connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.exec_driver_sql(
        "CREATE TABLE alembic_version ("
        "version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
    )
    connection.exec_driver_sql("INSERT INTO alembic_version VALUES (?)", (HEAD,))


def upgrade(path: Path) -> None:
    """Run the missing revisions in one transaction.

    Raises:
        StoreError: the file or the machine has a fault. The file is not changed.
    """
    # Replacing a table must not delete the rows that refer to it, so references are checked at the end.
    engine = make_engine(path, begin="BEGIN IMMEDIATE", connections=1, pragmas=("foreign_keys=OFF",))
    try:
        with explained(path), engine.begin() as connection:
            _check_pages(path, connection)
            try:
                run_revisions(connection)
            except OperationalError as error:
                if getattr(error.orig, "sqlite_errorcode", None) != sqlite3.SQLITE_ERROR:
                    raise
                raise damaged(path, f"its tables are not those of its schema: {error.orig}") from error
            raw = connection.connection.driver_connection
            assert raw is not None
            if not missing_part_of(columns(raw)):
                _check_rows(path, connection)
                checksums.store_all(connection)
    finally:
        engine.dispose()


def _check_pages(path: Path, connection: Connection) -> None:
    (problem,) = connection.exec_driver_sql("PRAGMA integrity_check(1)").one()
    if problem != "ok":
        raise damaged(path, problem)


def _check_rows(path: Path, connection: Connection) -> None:
    """Check what the checksums will not show, because they are computed from the rows as they are now."""
    if connection.exec_driver_sql("PRAGMA foreign_key_check").first() is not None:
        raise damaged(path, "some rows refer to missing rows")
    if wrong := wrong_value(connection):
        raise damaged(path, f"it holds a value that arena never writes ({wrong})")
    lost = connection.exec_driver_sql(
        "SELECT id FROM game WHERE id NOT IN (SELECT game_id FROM record)"
        " OR id NOT IN (SELECT game_id FROM player) LIMIT 1"
    ).scalar()
    if lost is not None:
        raise damaged(path, f"game {lost} has no moves or no players")
