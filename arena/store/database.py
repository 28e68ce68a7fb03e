"""The database file, with two SQLAlchemy engines: one reads, one writes, and neither waits for the other.

A session is one transaction: `Database.reading` or `Database.writing` begins and ends it. The rows of a
session cannot be used after its end, so convert them to values before (`arena.store.mapping`).

The journal is a write-ahead log (WAL), so readers see the last commit while a writer writes. A writing
transaction begins with ``BEGIN IMMEDIATE``: it waits for the lock before it reads anything. By default SQLite
takes the lock at the first write, and if another program has written in between, it fails without waiting.

Nothing is written to a damaged file: the first transaction that writes verifies all results before, and after
damage the log of another program's last transactions stays as it is (`arena.store.file.open_file`).
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final

import msgspec
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool
from sqlmodel import Session

from arena.errors import DamagedDatabase, StoreError
from arena.store import checksums
from arena.store.errors import InvalidRow, explained
from arena.store.file.connection import BUSY_TIMEOUT, connect
from arena.store.file.disk import no_log
from arena.store.file.open_file import OpenFile
from arena.store.file.write_lock import LOOK, WriteLock

__all__ = ["Database", "decoded", "make_engine"]

_STEPS: Final = 200_000
"""The number of steps of SQLite's machine between two calls of `_breathe`: some milliseconds."""


def _breathe() -> int:
    """Let Python notice Ctrl-C during a long statement: it then interrupts the statement; see `explained`."""
    return 0


def make_engine(
    path: Path,
    *,
    begin: str | Callable[[Connection], None],
    connections: int,
    pragmas: tuple[str, ...],
    wal: bool = False,
) -> Engine:
    """Make an engine for the file. It connects at its first use; its transactions start with ``begin``.

    This is a statement, or a function that executes one.
    """

    def opened() -> sqlite3.Connection:
        connection = connect(path, "rw")
        try:
            checksums.register(connection)
            connection.set_progress_handler(_breathe, _STEPS)
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
        json_deserializer=decoded,
    )

    @event.listens_for(engine, "begin")
    def begun(connection: Connection) -> None:
        if isinstance(begin, str):
            connection.exec_driver_sql(begin)
        else:
            begin(connection)

    return engine


def decoded(text: str) -> object:
    """Decode a JSON column; msgspec does this three times as fast as `json`.

    Raises:
        InvalidRow: the text is no JSON.
    """
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
        raise StoreError(f"{path}: {no_log(path)}")


class Database:
    """An open database file of arena; safe to use from several threads."""

    __slots__ = ("_file", "_lock", "_reader", "_verified", "_writer", "path")

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = OpenFile(path)
        self._lock = WriteLock()
        self._verified = False
        self._reader = make_engine(
            path, begin="BEGIN", connections=4, pragmas=("query_only=ON", "cache_size=-16000")
        )
        self._writer = make_engine(
            path,
            begin=self._lock.take,
            connections=1,
            # NORMAL: a commit survives the death of every process; only a power cut can undo the last ones.
            pragmas=("synchronous=NORMAL", "foreign_keys=ON", f"busy_timeout={LOOK * 1000:.0f}"),
            wal=True,
        )

    def open(self, *, create: bool) -> sqlite3.Connection:
        """Open the file, and return a connection that only reads; it belongs to the database.

        Args:
            create: make an empty file if there is none.

        Raises:
            StoreError: the file or the machine has a fault.
        """
        with self._noticing():
            return self._file.open(create=create)

    @contextmanager
    def reading(self, *, verify: bool = False) -> Iterator[Session]:
        """Begin a transaction that reads: all its statements see the same state of the database.

        Args:
            verify: verify the checksums of all results before, once for each database that is opened.

        Raises:
            StoreError: the file or the machine has a fault, or a row is damaged.
        """
        with self._noticing(), Session(self._reader, autoflush=False) as session, session.begin():
            if verify:
                self._verify(session)
            yield session

    @contextmanager
    def writing(self, *, verify: bool = True) -> Iterator[Session]:
        """Begin a transaction that writes: at its end everything is stored, after an exception nothing.

        No other program can write during the transaction. New and changed rows are sent to the database at
        the end, or by ``session.flush()``.

        Args:
            verify: verify the checksums of all results before, once for each database that is opened; False
                for a file that has no tables yet.

        Raises:
            StoreError: the file or the machine has a fault, a row is damaged, or another program writes for
                too long. Then nothing is stored. Also after the end, if the file that was opened is not at
                its path any more: what was written is in no file, or in one that was moved.
        """
        with self._noticing():
            with Session(self._writer, autoflush=False) as session, session.begin():
                session.connection()  # take the lock now, and not at the first statement
                self._file.check()
                if verify:
                    self._verify(session)
                yield session
            self._file.check()

    def hurry(self) -> None:
        """From now on hardly wait for another program that writes: the user wants this one to end."""
        self._lock.hurry()

    @contextmanager
    def _noticing(self) -> Iterator[None]:
        """Explain errors, and remember damage."""
        try:
            with explained(self.path):
                yield
        except DamagedDatabase:
            self._file.keep_log()
            raise

    def _verify(self, session: Session) -> None:
        if not self._verified:
            checksums.verify_results(session.connection())
            self._verified = True

    def close(self) -> None:
        """Close all connections; the last one removes the log."""
        if self._file.lost:
            with suppress(sqlite3.Error, DBAPIError), self._writer.connect() as connection:
                raw = connection.connection.driver_connection
                assert raw is not None
                raw.rollback()
                raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with self._file.closing():
            self._reader.dispose()
            self._writer.dispose()
