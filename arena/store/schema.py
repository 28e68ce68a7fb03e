"""The schema of a file: check whose file it is, create the tables, bring an older schema up to date.

A new file gets its tables from `arena.store.rows` and the number of the newest revision. So alembic, which
takes longer to import than all of this takes, is needed only for a file with another number.
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
            newer schema, or the file or the machine has a fault. The file is then as it was.
    """
    if not create and not _exists(database.path):
        raise StoreError(f"{database.path}: there is no such database; `arena run` makes one")
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
        pass  # opening the file will tell what is wrong
    return True


def _revision(path: Path) -> str:
    """The schema's number; empty for a file without tables. It changes nothing: the file may be anybody's."""
    with explained(path), closing(connect(path)) as connection:
        connection.execute("BEGIN")
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (objects,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if application == APPLICATION_ID:
            return str(connection.execute("SELECT version_num FROM alembic_version").fetchone()[0])
    if application or objects:
        raise StoreError(
            f"{path}: is another program's database; choose another file name, it was left as it is"
        )
    return _EMPTY


def _create(database: Database) -> None:
    with database.writing() as session:
        connection = session.connection()
        # Another program may have created it while we waited for the lock.
        if connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar_one() == 0:
            metadata.create_all(connection, checkfirst=False)
            _stamp(connection)


def _stamp(connection: Connection) -> None:
    """Mark the file as a database of arena, and store its schema's number as alembic would."""
    connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.exec_driver_sql(
        "CREATE TABLE alembic_version ("
        "version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
    )
    connection.exec_driver_sql("INSERT INTO alembic_version VALUES (?)", (HEAD,))


def _migrate(path: Path, revision: str) -> None:
    from alembic.script import ScriptDirectory

    known = {script.revision for script in ScriptDirectory(DIRECTORY).walk_revisions()}
    if revision not in known:
        raise StoreError(
            f"{path}: was written by a newer leapfrog-arena (schema {revision}, this one knows {HEAD});"
            " install the newer one, or choose another file name"
        )
    upgrade(path)


def upgrade(path: Path) -> None:
    """Run the revisions that the file lacks, all in one transaction.

    Raises:
        StoreError: the file or the machine has a fault; the file is then as it was.
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
                    f"{path}: rows refer to others that are gone, so it cannot be brought to schema {HEAD};"
                    " restore a copy, it was left as it is"
                )
    finally:
        engine.dispose()
