"""A database on a server, with two SQLAlchemy engines: one reads, one writes.

A transaction that reads sees one state of the database, and never waits. One that writes first takes a lock,
so it sees what was stored before, and no other arena writes meanwhile. Connections that the server has ended
are replaced at the beginning of a transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.pool import QueuePool
from sqlmodel import Session

from arena.address import ServerAddress
from arena.store.database import JSON_COLUMNS, Database
from arena.store.server.connection import connect
from arena.store.server.errors import explained
from arena.store.server.locks import Claim, WriteLock, own_name
from arena.store.server.schema import prepare

__all__ = ["ServerDatabase"]


def _engine(opened: Callable[[], psycopg.Connection], connections: int, isolation: str) -> Engine:
    return create_engine(
        "postgresql+psycopg://",
        creator=opened,
        poolclass=QueuePool,
        pool_size=connections,
        max_overflow=0,
        pool_pre_ping=True,
        isolation_level=isolation,
        use_native_hstore=False,  # to look for this type takes time, and no column has it
        **JSON_COLUMNS,
    )


class ServerDatabase(Database):
    """An open database of arena on a server.

    Attributes:
        location: where it is; `address` is the same.
    """

    __slots__ = ("_claim", "_lock", "_name", "_reader", "_writer", "location")

    def __init__(self, location: ServerAddress) -> None:
        super().__init__(location)
        self.location = location
        self._name = own_name()
        self._lock = WriteLock()
        self._claim: Claim | None = None
        reader = _engine(lambda: connect(location, self._name), 4, "REPEATABLE READ")
        self._reader = reader.execution_options(postgresql_readonly=True)
        # Each statement sees what was stored before it. Nothing is stored meanwhile, because of the lock.
        self._writer = _engine(self._connect_writer, 1, "READ COMMITTED")

    def _connect_writer(self) -> psycopg.Connection:
        """Connect, and lock the tournament that this program runs: the lock belongs to the connection."""
        connection = connect(self.location, self._name)
        try:
            if self._claim is not None:
                self._claim.take(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def prepare(self, *, create: bool) -> None:
        """Check whose database it is, and make or change its tables; see `Database.prepare`."""
        prepare(self, create=create)

    @contextmanager
    def reading(self, *, verify: bool = False) -> Iterator[Session]:
        """Begin a transaction that reads; see `Database.reading`."""
        with (
            explained(self.location),
            Session(self._reader, autoflush=False) as session,
            session.begin(),
        ):
            if verify:
                self._verify(session)
            yield session

    @contextmanager
    def writing(self, *, verify: bool = True) -> Iterator[Session]:
        """Begin a transaction that writes; see `Database.writing`."""
        with (
            explained(self.location),
            Session(self._writer, autoflush=False) as session,
            session.begin(),
        ):
            self._lock.take(session.connection())
            if verify:
                self._verify(session)
            yield session

    def claim(self, number: int, tournament: str) -> None:
        """Take the lock of the tournament; see `Database.claim`."""
        self._claim = Claim(self.location, number, tournament, self._name)
        self._writer.dispose()
        with explained(self.location), self._writer.connect():
            pass

    @property
    def version(self) -> str:
        """The transactions that have written to the server; other databases of it count, too."""
        with self.reading() as session:
            return str(session.connection().execute(text("SELECT pg_current_snapshot()::text")).scalar_one())

    def hurry(self) -> None:
        """From now on hardly wait for another program that writes: the user wants this one to end."""
        self._lock.hurry()

    def close(self) -> None:
        """Close all connections."""
        self._reader.dispose()
        self._writer.dispose()
