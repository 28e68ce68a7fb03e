"""The database file, with two SQLAlchemy engines: one reads, one writes, and neither waits for the other.

A session is one transaction: `Database.reading` or `Database.writing` begins and ends it. The rows of a
session cannot be used after its end, so convert them to values before (`arena.store.mapping`).

The journal is a write-ahead log (WAL), so readers see the last commit while a writer writes. A writing
transaction begins with ``BEGIN IMMEDIATE``: it waits for the lock before it reads anything. By default SQLite
takes the lock at the first write, and if another program has written in between, it fails without waiting.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final, Literal

import msgspec
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import QueuePool
from sqlmodel import Session

from arena.errors import StoreError
from arena.store.errors import InvalidRow, explained

__all__ = ["BUSY_TIMEOUT", "Database", "connect", "make_engine"]

BUSY_TIMEOUT: Final = 5.0
"""Seconds to wait for another program's transaction."""

_STEPS: Final = 200_000
"""The number of steps of SQLite's machine between two calls of `_breathe`: some milliseconds."""


def connect(path: Path) -> sqlite3.Connection:
    """A plain connection that changes nothing in the file; the caller begins transactions.

    Raises:
        sqlite3.Error: it cannot be opened.
    """
    # The pool gives a connection to one thread at a time, so sqlite3 need not check that.
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT, isolation_level=None, check_same_thread=False)
    connection.set_progress_handler(_breathe, _STEPS)
    return connection


def _breathe() -> int:
    """Let Python notice Ctrl-C during a long statement: it then interrupts the statement; see `explained`."""
    return 0


def make_engine(
    path: Path,
    *,
    begin: Literal["BEGIN", "BEGIN IMMEDIATE"],
    connections: int,
    pragmas: tuple[str, ...],
    wal: bool = False,
) -> Engine:
    """Make an engine for the file. It connects at its first use; its transactions start with ``begin``."""

    def opened() -> sqlite3.Connection:
        connection = connect(path)
        try:
            for pragma in pragmas:
                connection.execute(f"PRAGMA {pragma}")
            if wal:
                _keep_log(connection, path)
        except BaseException:
            connection.close()
            raise
        return connection

    engine = create_engine(
        "sqlite://",
        creator=opened,
        poolclass=QueuePool,
        pool_size=connections,
        max_overflow=0,
        json_serializer=partial(json.dumps, separators=(",", ":")),
        json_deserializer=_decoded,
    )

    @event.listens_for(engine, "begin")
    def begun(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def _decoded(text: str) -> object:
    """Decode a JSON column; msgspec does this three times as fast as `json`."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        pass  # `json` reads everything that it writes; msgspec does not, for example half a surrogate pair
    try:
        return json.loads(text)
    except ValueError as error:
        raise InvalidRow(str(error)) from error


def _keep_log(connection: sqlite3.Connection, path: Path) -> None:
    """Switch the file to a write-ahead log permanently; do nothing if it has one."""
    deadline = time.monotonic() + BUSY_TIMEOUT
    mode = None
    while mode is None:
        try:
            (mode,) = connection.execute("PRAGMA journal_mode=WAL").fetchone()
        except sqlite3.OperationalError as error:
            # SQLite does not wait while another program switches the file, so try again.
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
    if mode != "wal":
        raise StoreError(
            f"{path}: SQLite cannot keep a write-ahead log on this drive; put the database on a local disk"
        )


class Database:
    """An open database file of arena; safe to use from several threads."""

    __slots__ = ("_reader", "_writer", "path")

    def __init__(self, path: Path) -> None:
        self.path = path
        self._reader = make_engine(
            path, begin="BEGIN", connections=4, pragmas=("query_only=ON", "cache_size=-16000")
        )
        self._writer = make_engine(
            path,
            begin="BEGIN IMMEDIATE",
            connections=1,
            # NORMAL: a commit survives the death of every process; only a power cut can undo the last ones.
            pragmas=("synchronous=NORMAL", "foreign_keys=ON"),
            wal=True,
        )

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Begin a transaction that reads: all its statements see the same state of the database.

        Raises:
            StoreError: the file or the machine has a fault, or a row holds a value that arena never writes.
        """
        with explained(self.path), Session(self._reader, autoflush=False) as session, session.begin():
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Begin a transaction that writes: at its end everything is stored, after an exception nothing.

        No other program can write during the transaction. New and changed rows are sent to the database at
        the end, or by ``session.flush()``.

        Raises:
            StoreError: the file or the machine has a fault, a row holds a value that arena never writes, or
                another program writes for too long.
        """
        with explained(self.path), Session(self._writer, autoflush=False) as session, session.begin():
            session.connection()  # take the lock now, and not at the first statement
            yield session

    def close(self) -> None:
        """Close all connections; the last one removes the log."""
        self._reader.dispose()
        self._writer.dispose()
