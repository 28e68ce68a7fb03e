"""The schema on a server: check whose database it is, create the tables, bring an older schema up to date.

The tables are in the first schema of the search path, usually ``public``. A comment marks them as arena's.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, text

from arena.address import ServerAddress
from arena.errors import MissingDatabase, StoreError
from arena.store import checksums
from arena.store.rows import GAME, metadata
from arena.store.schema.migrations import HEAD
from arena.store.schema.shape import OWN_TABLES, missing_part_of
from arena.store.schema.upgrade import check_revision, run_revisions
from arena.store.server.errors import damaged

if TYPE_CHECKING:
    from arena.store.server.database import ServerDatabase

__all__ = ["MARK", "columns", "mark", "prepare", "revision_of"]

MARK: Final = "leapfrog-arena"
"""The comment on the table ``alembic_version`` of a database of arena."""

_EMPTY: Final = ""

# `arena.store.rows` does not declare it, because SQLAlchemy would import PostgreSQL's words for every file.
for index in GAME.indexes:
    index.dialect_options["postgresql"]["where"] = index.dialect_options["sqlite"]["where"]


def prepare(database: ServerDatabase, *, create: bool) -> None:
    """Make sure that the database has the tables of `arena.store.rows`.

    Raises:
        StoreError: as in `arena.store.database.Database.prepare`.
    """
    address = database.location
    with database.reading() as session:
        revision = revision_of(address, session.connection())
        found = columns(session.connection())
    if revision == _EMPTY and not create:
        raise MissingDatabase(f"{address}: the database is empty; `arena run` fills one")
    if revision != HEAD:
        found = _change(database)
    if missing := missing_part_of(found):
        raise damaged(address, f"it has no {missing}")


def _change(database: ServerDatabase) -> dict[str, set[str]]:
    """Create the tables, or run the missing revisions; return the columns of the tables."""
    address = database.location
    with database.writing(verify=False) as session:
        connection = session.connection()
        revision = revision_of(address, connection)  # another program may have changed it meanwhile
        if revision == _EMPTY:
            metadata.create_all(connection, checkfirst=False)
            _stamp(connection)
        elif revision != HEAD:
            check_revision(address, revision, partial(damaged, address))
            run_revisions(connection)
            if not missing_part_of(columns(connection)):
                checksums.store_all(connection)
        return columns(connection)


def columns(connection: Connection) -> dict[str, set[str]]:
    """Return the columns of each table."""
    found: dict[str, set[str]] = {}
    for table, column in connection.execute(_COLUMNS):
        found.setdefault(table, set()).add(column)
    return found


_COLUMNS: Final = text(
    "SELECT table_name::text, column_name::text FROM information_schema.columns"
    " WHERE table_schema = current_schema()"
)


def revision_of(address: ServerAddress, connection: Connection) -> str:
    """Return the number of the schema; "" for a database without tables.

    Raises:
        StoreError: the database belongs to another program, or is damaged.
    """
    names = columns(connection).keys()
    if "alembic_version" in names and connection.execute(_COMMENT).scalar() == MARK:
        row = connection.execute(text("SELECT version_num FROM alembic_version")).first()
        if row is None:
            raise damaged(
                address, "its table alembic_version is empty, so the number of its schema is unknown"
            )
        return str(row[0])
    if len(names & OWN_TABLES) > len(OWN_TABLES) // 2:
        raise damaged(address, "its table alembic_version does not say that it is a database of arena")
    if names:
        raise StoreError(
            f"{address}: has the tables of another program; create an empty database (nothing was changed)"
        )
    return _EMPTY


_COMMENT: Final = text("SELECT obj_description('alembic_version'::regclass, 'pg_class')")


def _stamp(connection: Connection) -> None:
    """Mark the database as arena's, and store the number of its schema as alembic does."""
    connection.exec_driver_sql(
        "CREATE TABLE alembic_version ("
        "version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
    )
    connection.exec_driver_sql(f"INSERT INTO alembic_version VALUES ('{HEAD}')")
    mark(connection)


def mark(connection: Connection) -> None:
    """Mark the database as arena's."""
    connection.exec_driver_sql(f"COMMENT ON TABLE alembic_version IS '{MARK}'")
