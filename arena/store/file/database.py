"""The database file, with two SQLAlchemy engines: one reads, one writes, and neither waits for the other.

The journal is a write-ahead log (WAL), so readers see the last commit while a writer writes. A writing
transaction begins with ``BEGIN IMMEDIATE``: it waits for the lock before it reads anything. By default SQLite
takes the lock at the first write, and if another program has written in between, it fails without waiting.

Nothing is written to a damaged file. The first transaction that writes verifies all results before it writes.
If the file is damaged, the log with the last transactions of another program stays as it is
(`arena.store.file.open_file`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from sqlalchemy.exc import DBAPIError
from sqlmodel import Session

from arena.errors import DamagedDatabase
from arena.store.database import Database
from arena.store.errors import explained
from arena.store.file.connection import log_of
from arena.store.file.engine import make_engine
from arena.store.file.open_file import OpenFile
from arena.store.file.schema import prepare
from arena.store.file.verification import verifying
from arena.store.file.write_lock import LOOK, WriteLock

__all__ = ["FileDatabase"]


class FileDatabase(Database):
    """An open database file of arena.

    Attributes:
        path: the file; the address is the same.
    """

    __slots__ = ("_file", "_lock", "_reader", "_writer", "path")

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.path = path
        self._file = OpenFile(path)
        self._lock = WriteLock()
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

    def prepare(self, *, create: bool) -> None:
        """Check whose file it is, and make its tables or bring them up to date; see `Database.prepare`."""
        prepare(self, create=create)

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
        """Begin a transaction that reads; see `Database.reading`."""
        beside = verifying(self.path) if verify and not self._verified else nullcontext()
        with self._noticing(), Session(self._reader, autoflush=False) as session, session.begin(), beside:
            yield session
        self._verified = self._verified or verify

    @contextmanager
    def writing(self, *, verify: bool = True) -> Iterator[Session]:
        """Begin a transaction that writes; see `Database.writing`.

        Raises:
            StoreError: also after the end, if the file that was opened is not at its path any more: what was
                written is in no file, or in one that was moved.
        """
        with self._noticing():
            with Session(self._writer, autoflush=False) as session, session.begin():
                session.connection()  # take the lock now, and not at the first statement
                self._file.check()
                if verify:
                    self._verify(session)
                yield session
            self._file.check()

    def claim(self, number: int, tournament: str) -> None:
        """Do nothing: a file does not know who uses it."""

    @property
    def version(self) -> str:
        """The sizes and times of the file and of its log."""
        parts = []
        for path in (self.path, log_of(self.path)):
            with suppress(OSError):
                found = path.stat()
                parts.append(f"{found.st_mtime_ns:x}.{found.st_size:x}")
        return "-".join(parts)

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
