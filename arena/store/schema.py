"""The schema of a file: check whose file it is, create the tables, bring an older schema up to date.

A new file gets its tables from `arena.store.rows`, and the number of the newest revision. Alembic takes long
to import, and only a file with another number needs it.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Final

from sqlalchemy import Connection

from arena.errors import StoreError
from arena.store.database import Database, connect, make_engine
from arena.store.errors import explained
from arena.store.migrations import DIRECTORY, HEAD
from arena.store.rows import metadata

__all__ = ["APPLICATION_ID", "prepare", "upgrade"]

APPLICATION_ID: Final = 0x4C46_4152
"""``LFAR`` in the file's header marks a database of arena."""

_EMPTY: Final = ""


def prepare(database: Database, *, create: bool) -> None:
    """Make sure that the file has the tables of `arena.store.rows`.

    Raises:
        StoreError: there is no database and ``create`` is false, the file belongs to another program or has a
            newer schema, or the file or the machine has a fault. The file is not changed.
    """
    if not create and not _exists(database.path):
        raise StoreError(f"{database.path}: there is no such database; `arena run` creates one")
    revision = _revision(database.path)
    if revision == _EMPTY:
        if not create:
            raise StoreError(f"{database.path}: the database is empty; `arena run` fills one")
        _create(database)
        revision = _revision(database.path)
    if revision != HEAD:
        _migrate(database.path, revision)


def _exists(path: Path) -> bool:
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        pass  # opening the file reports the reason
    return True


def _revision(path: Path) -> str:
    """Return the number of the schema; "" for a file without tables. Write nothing: it may be foreign."""
    with explained(path), closing(connect(path)) as connection:
        connection.execute("BEGIN")
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (objects,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if application == APPLICATION_ID:
            return str(connection.execute("SELECT version_num FROM alembic_version").fetchone()[0])
    if application or objects:
        raise StoreError(
            f"{path}: is another program's database; choose another file name (the file was not changed)"
        )
    return _EMPTY


def _create(database: Database) -> None:
    with database.writing() as session:
        connection = session.connection()
        # Another program may have created the tables while this one waited for the lock.
        if connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar_one() == 0:
            metadata.create_all(connection, checkfirst=False)
            _stamp(connection)


def _stamp(connection: Connection) -> None:
    """Mark the file as a database of arena, and store the number of its schema as alembic does."""
    connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.exec_driver_sql(
        "CREATE TABLE alembic_version ("
        "version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
    )
    connection.exec_driver_sql("INSERT INTO alembic_version VALUES (?)", (HEAD,))


def _migrate(path: Path, revision: str) -> None:
    from alembic.script import ScriptDirectory

    revisions = {script.revision for script in ScriptDirectory(DIRECTORY).walk_revisions()}
    if revision not in revisions:
        raise StoreError(
            f"{path}: was written by a newer leapfrog-arena (schema {revision}, this one knows {HEAD});"
            " install the newer one, or choose another file name"
        )
    upgrade(path)


def upgrade(path: Path) -> None:
    """Run the missing revisions in one transaction.

    Raises:
        StoreError: the file or the machine has a fault. The file is not changed.
    """
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(DIRECTORY).replace("%", "%%"))
    # Replacing a table must not delete the rows that refer to it, so references are checked at the end.
    engine = make_engine(path, begin="BEGIN IMMEDIATE", connections=1, pragmas=("foreign_keys=OFF",))
    try:
        with explained(path), engine.begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, HEAD)
            if connection.exec_driver_sql("PRAGMA foreign_key_check").first() is not None:
                raise StoreError(
                    f"{path}: some rows refer to missing rows, so it cannot be brought to schema {HEAD};"
                    " restore a copy (the file was not changed)"
                )
    finally:
        engine.dispose()
