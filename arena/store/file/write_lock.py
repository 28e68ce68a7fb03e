"""Takes the lock of a transaction that writes, and waits for another program that has it."""

from __future__ import annotations

import math
import sqlite3
import time
from typing import Final

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from arena.store.file.connection import BUSY_TIMEOUT

__all__ = ["LOOK", "WriteLock"]

LOOK: Final = 0.1
"""Seconds of one attempt. The busy timeout of SQLite is as long, because nothing can end its wait."""

_HURRY: Final = 0.25
"""Seconds that remain after `WriteLock.hurry`: a transaction of another arena is shorter."""


class WriteLock:
    """The lock of one database file. Any thread may call its methods."""

    __slots__ = ("_end",)

    def __init__(self) -> None:
        self._end = math.inf  # when to wait no longer, as time.monotonic()

    def take(self, connection: Connection) -> None:
        """Begin a transaction with the lock.

        Raises:
            DBAPIError: another program has the lock for too long, or the database has a fault.
        """
        deadline = time.monotonic() + BUSY_TIMEOUT
        while True:
            try:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            except DBAPIError as error:
                if not _is_busy(error.orig) or time.monotonic() > min(deadline, self._end):
                    raise
            else:
                return

    def hurry(self) -> None:
        """From now on wait a quarter of a second at most, also in a call of `take` that is waiting."""
        self._end = min(self._end, time.monotonic() + _HURRY)


def _is_busy(error: BaseException | None) -> bool:
    # Two bytes of details may follow in the code, for example that the other program repairs the log.
    return (
        isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
    )
