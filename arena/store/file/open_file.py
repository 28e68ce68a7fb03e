"""The file behind an open database: is it still at its path, and what happens to its log at the end.

A process can delete, move or replace a file that is open here. SQLite does not notice, and would write games
into a file that has no name. So every transaction that writes compares the files at the paths with those that
were opened.

The last connection to a database writes its log into the file at the end, but not if the file is not at its
path any more. In that case, the log must be written before the last connection closes, so that a database
that was moved has all its games: `OpenFile.lost`.

When the last connection closes, SQLite writes the log into the file, even if the file is damaged.
So if the file is damaged, the last connection to close is one that cannot write: `OpenFile.keep_log`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.errors import StoreError
from arena.store.file.connection import connect, log_of

__all__ = ["OpenFile"]

_Identity = tuple[int, int]


def _identity(path: Path) -> _Identity | None:
    """Return device and number of the file at the path; None if there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


class OpenFile:
    """The files of an open database: the database, and its write-ahead log.

    Attributes:
        lost: whether `check` has found the database missing, or another file in its place.
    """

    __slots__ = ("_connection", "_identities", "_keep", "_log", "_path", "lost")

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log = log_of(path)
        self._connection: sqlite3.Connection | None = None
        self._identities: dict[Path, _Identity] = {}
        self._keep = False
        self.lost = False

    def open(self, *, create: bool) -> sqlite3.Connection:
        """Open the file, and return a connection that only reads; `closing` closes it.

        Args:
            create: make an empty file if there is none.

        Raises:
            sqlite3.Error: it cannot be opened.
        """
        if create:
            connect(self._path, "rwc").close()
        # Without a log there is nothing to keep, and a connection that may write removes its files at the
        # end.
        self._connection = connect(self._path, "ro" if _size(self._log) else "rw")
        self._connection.execute("PRAGMA query_only = ON")
        identity = _identity(self._path)
        if identity is not None:
            self._identities[self._path] = identity
        return self._connection

    def check(self) -> None:
        """Check that the database and its log are the files that were opened. The log must exist.

        Raises:
            StoreError: one of them is not there any more, or is another file.
        """
        for path in (self._path, self._log):
            found = _identity(path)
            known = self._identities.get(path)
            if known is None and found is not None:
                self._identities[path] = found
            elif found is None or found != known:
                self.lost = path == self._path
                name = "the database" if path == self._path else f"its log {path}"
                fate = "deleted or moved" if found is None else "replaced by another file"
                raise StoreError(
                    f"{self._path}: {name} was {fate} while arena had it open, so arena stores no more games;"
                    " put the database back, or start again to begin a new one"
                )

    def keep_log(self) -> None:
        """Leave the log as it is when the database is closed."""
        self._keep = True

    @contextmanager
    def closing(self) -> Iterator[None]:
        """Close the connection that `open` returned; close all others in the block."""
        if self._keep:
            yield
        if self._connection is not None:
            self._connection.close()
        if not self._keep:
            yield
