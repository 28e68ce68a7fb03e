"""One file, two engines: one reads, one writes, and neither waits for the other.

The journal is a write-ahead log (WAL), so that readers see the last commit while a writer writes. A writing
transaction begins with ``BEGIN IMMEDIATE``: it waits for its turn before it reads anything. SQLite's default,
a lock taken at the first write, fails at once when somebody else wrote in between, whatever the time-out.
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

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import QueuePool

from arena.errors import StoreError
from arena.store.faults import explained

__all__ = ["BUSY_TIMEOUT", "Database", "connect", "make_engine"]

BUSY_TIMEOUT: Final = 5.0
"""Seconds to wait for another program's transaction."""


def connect(path: Path) -> sqlite3.Connection:
    """A plain connection that changes nothing in the file, whosever it is; transactions are begun by hand.

    Raises:
        sqlite3.Error: it cannot be opened.
    """
    # A pool gives a connection to one thread at a time, so sqlite3's own check would only be in the way.
    return sqlite3.connect(path, timeout=BUSY_TIMEOUT, isolation_level=None, check_same_thread=False)


def make_engine(
    path: Path,
    *,
    begin: Literal["BEGIN", "BEGIN IMMEDIATE"],
    connections: int,
    pragmas: tuple[str, ...],
    wal: bool = False,
) -> Engine:
    """An engine on the file whose transactions start with ``begin``; connects when first used."""

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
    )

    @event.listens_for(engine, "begin")
    def begun(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def _keep_log(connection: sqlite3.Connection, path: Path) -> None:
    """Switch the file to a write-ahead log, for good; does nothing where it has one."""
    deadline = time.monotonic() + BUSY_TIMEOUT
    mode = None
    while mode is None:
        try:
            (mode,) = connection.execute("PRAGMA journal_mode=WAL").fetchone()
        except sqlite3.OperationalError as error:  # while another does the same SQLite doesn't wait by itself
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
    if mode != "wal":
        raise StoreError(f"{path}: is on a drive where SQLite keeps no log; put the database on a local disk")


class Database:
    """An open database file of ours; safe to use from several threads."""

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
    def reading(self) -> Iterator[Connection]:
        """One transaction: everything read in it is of one moment.

        Raises:
            StoreError: the file or the machine has a fault.
        """
        with explained(self.path), self._reader.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One transaction, and the only one that writes: all of it is stored, or nothing after an exception.

        Raises:
            StoreError: the file or the machine has a fault, or another program writes for too long.
        """
        with explained(self.path), self._writer.begin() as connection:
            yield connection

    def close(self) -> None:
        """Close all connections; the last one to go tidies the log away."""
        self._reader.dispose()
        self._writer.dispose()
