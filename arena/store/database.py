"""An open database: every transaction is a session of it, whether it is a file or on a server."""

from __future__ import annotations

import getpass
import logging
import os
import socket
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import local
from typing import Any, ClassVar, Final, TypeAlias

import msgspec
from sqlalchemy import Connection, Engine, Select
from sqlalchemy.pool import QueuePool
from sqlmodel import Session

from arena.address import Address
from arena.errors import MissingDatabase, StoreError
from arena.store.errors import Damage, damaged
from arena.store.mapping import decoded
from arena.store.queries import checked_rows
from arena.store.rows import GAME_TABLES, metadata

# SQLAlchemy would print an interrupt that comes while it closes a connection, with a traceback.
logging.getLogger("sqlalchemy.pool").addHandler(logging.NullHandler())

ENGINE_OPTIONS: Final[dict[str, Any]] = {
    "poolclass": QueuePool,
    "max_overflow": 0,
    "pool_timeout": 10.0,  # in seconds: a task that waits longer for a connection fails
    "json_serializer": lambda value: msgspec.json.encode(value).decode(),
    "json_deserializer": decoded,
}
"""How SQLAlchemy keeps connections, and writes and reads JSON columns."""


# The schema: each module in the folder of the revisions changes an older schema.

REVISIONS: Final = Path(__file__).with_name("migrations")
"""The folder of the revisions; alembic calls it the script location."""

HEAD: Final = "0002"
"""The newest revision: the schema of `arena.store.rows`."""

EMPTY: Final = ""
"""The revision of a database without tables."""

STAMP: Final = (
    (
        "CREATE TABLE alembic_version ("
        "version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
    ),
    f"INSERT INTO alembic_version VALUES ('{HEAD}')",
)
"""The statements that store the number of the schema in a new database as alembic does."""

Columns: TypeAlias = dict[str, set[str]]
"""The names of the columns of each table."""


def revision_of(address: Address, connection: Connection, columns: Columns, *, marked: bool | None) -> str:
    """Return the number of the schema, `EMPTY` without tables.

    The database is ``marked`` as arena's, or as another program's (None).
    """
    if marked:
        if "alembic_version" not in columns:
            raise Damage("it has no table alembic_version, which has the number of its schema")
        number = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
        if number is None:
            raise Damage("its table alembic_version is empty, so the number of its schema is unknown")
        return str(number)
    if len(columns.keys() & GAME_TABLES) > len(GAME_TABLES) // 2:
        raise Damage("it is not marked as a database of arena")
    if columns or marked is None:
        raise StoreError(f"{address}: belongs to another program; choose another one (it was not changed)")
    return EMPTY


def missing_part_of(columns: Columns) -> str:
    """Return the first table or column of ours that is missing; "" for none."""
    for name, table in metadata.tables.items():
        if name not in columns:
            return f"table {name}"
        for column in table.columns:
            if column.name not in columns[name]:
                return f"column {name}.{column.name}"
    return ""


def run_revisions(address: Address, revision: str, connection: Connection) -> None:
    """Run all revisions after this one, in the transaction of the connection. StoreError: it is unknown."""
    # Alembic takes long to import.
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    known = {script.revision for script in ScriptDirectory(REVISIONS).walk_revisions()}
    if revision not in known:
        raise StoreError(
            f"{address}: was written by another version of leapfrog-arena (schema {revision[:20]!a}, this one"
            f" knows {HEAD!a}); use that version, or choose another database"
        )
    config = Config()
    config.set_main_option("script_location", str(REVISIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, HEAD)


class Database(ABC):
    """An open database, for any thread. A session is one transaction; no row can be used after its end."""

    __slots__ = ("_closed", "_here", "_reader", "_writer", "address")

    _reader: Engine
    _writer: Engine

    def __init__(self, address: Address) -> None:
        self.address = address
        self._closed = False
        self._here = local()  # the session of the snapshot of this thread

    def prepare(self, *, create: bool) -> None:
        """Make sure that the database has our newest tables; else raise `StoreError`, and change nothing."""
        revision, columns = self._schema()
        if revision == EMPTY:
            if not create:
                raise MissingDatabase(f"{self.address}: the database is empty; {self._filled_by()}")
            self._create()
            revision, columns = self._schema()
        if revision != HEAD:
            self._upgrade(revision)
            _, columns = self._schema()
        if missing := missing_part_of(columns):
            raise damaged(self.address, f"it has no {missing}")

    def _schema(self) -> tuple[str, Columns]:
        with self.reading() as session:
            return self.schema_of(self.address, session.connection())

    def _create(self) -> None:
        with self.writing() as session:
            connection = session.connection()
            # Another program may have created the tables while this one waited for the lock.
            if self.schema_of(self.address, connection)[0] == EMPTY:
                metadata.create_all(connection, checkfirst=False)
                for statement in (*STAMP, self.mark):
                    connection.exec_driver_sql(statement)

    mark: ClassVar[str]
    """The statement that marks new tables as arena's."""

    @staticmethod
    @abstractmethod
    def schema_of(address: Address, connection: Connection) -> tuple[str, Columns]:
        """Return what `revision_of` does, and the columns of each table."""

    @abstractmethod
    def _upgrade(self, revision: str) -> None:
        """Run the revisions after this one in one transaction."""

    def _filled_by(self) -> str:
        """Return what to do when the database is empty."""
        return "`arena run` fills one"

    @abstractmethod
    def explained(self) -> AbstractContextManager[None]:
        """Turn errors of the database and of rows into `StoreError`."""

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Start a transaction that reads, or join the snapshot of this thread.

        All its statements see the same state of the database.
        """
        shared: Session | None = getattr(self._here, "session", None)
        if shared is not None:
            yield shared
            return
        with self.explained(), self._transaction(self._reader) as session:
            yield session

    @contextmanager
    def _transaction(self, engine: Engine) -> Iterator[Session]:
        """Start a transaction; at its end, close its connection if the database was closed meanwhile."""
        try:
            with Session(engine, autoflush=False) as session, session.begin():
                yield session
        finally:
            if self._closed:
                engine.pool.dispose()

    def rows(self, query: Select[Any]) -> list[Sequence[Any]]:
        """Return the rows of a query, with checked types."""
        with self.reading() as session:
            return list(checked_rows(session, query))

    def value(self, query: Select[Any]) -> Any:  # noqa: ANN401 - any column
        """Return the only value of a query; None if it has no row."""
        with self.reading() as session:
            return session.execute(query).scalar()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all that this thread reads meanwhile see the same state of the database."""
        with self.reading() as session:
            outer, self._here.session = getattr(self._here, "session", None), session
            try:
                yield
            finally:
                self._here.session = outer

    @abstractmethod
    def writing(self) -> AbstractContextManager[Session]:
        """Start a transaction that alone writes: at its end everything is stored, after an exception nothing.

        If the end raises `StoreUnavailable`, it is not known which.
        """

    @abstractmethod
    def claim(self, number: int, tournament: str) -> None:
        """Make sure that no other program runs this tournament, until the database is closed."""

    @property
    @abstractmethod
    def version(self) -> str:
        """A text that changes when something is stored. It is read without a transaction."""

    def close(self) -> None:
        """Close all connections; connections of other threads close at the end of their transactions."""
        self._closed = True
        self._reader.pool.dispose()
        self._writer.pool.dispose()

    def __del__(self) -> None:
        """Close what nobody has closed: a run that is cancelled while it opens a database cannot."""
        self.close()


def this_program() -> str:
    """Return the user, the machine and the process id."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # the user has no name
        user = str(os.getuid())
    return f"{user[:20]}@{socket.gethostname()[:25]}, process {os.getpid()}"
