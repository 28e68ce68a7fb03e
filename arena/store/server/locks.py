"""The locks on a server: one for transactions that write, and one for each tournament that is being run.

Both are advisory locks, which only arena heeds; readers never wait for them. PostgreSQL gives them back when
the transaction or the connection ends, also after ``kill -9``.
"""

from __future__ import annotations

import getpass
import math
import os
import secrets
import socket
import time
from dataclasses import dataclass
from typing import Final

import psycopg
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from arena.address import ServerAddress
from arena.errors import StoreError
from arena.store.server.errors import LOCKED

__all__ = ["Claim", "WriteLock", "own_name"]

_SPACE: Final = 0x4C46_4152
"""``LFAR``: no other program's locks have this number."""

_WAIT: Final = 30.0
"""Seconds to wait for transactions of other programs: each of them takes a fraction of a second."""

_LOOK: Final = 0.1
"""Seconds of one attempt, because nothing can end its wait."""

_HURRY: Final = 0.25
"""Seconds that remain after `WriteLock.hurry`."""

_GHOST: Final = 5.0
"""Seconds to wait until the server has ended a lost connection of this program."""


class WriteLock:
    """The lock of transactions that write to a database. Any thread may call its methods.

    There is one for the whole database, as in a file: games get their numbers in the order in which they
    are stored, and tournaments share engines and rating lists.
    """

    __slots__ = ("_end",)

    def __init__(self) -> None:
        self._end = math.inf  # when to wait no longer, as time.monotonic()

    def take(self, connection: Connection) -> None:
        """Take the lock for the transaction of the connection.

        Raises:
            DBAPIError: another program has the lock for too long, or the server has a fault.
        """
        deadline = time.monotonic() + _WAIT
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{_LOOK * 1000:.0f}ms'")
        while True:
            try:
                with connection.begin_nested():  # an attempt that fails would end the transaction
                    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_SPACE})")
            except DBAPIError as error:
                if not _is_locked(error) or time.monotonic() > min(deadline, self._end):
                    raise
            else:
                return

    def hurry(self) -> None:
        """From now on wait a quarter of a second at most, also in a call of `take` that is waiting."""
        self._end = min(self._end, time.monotonic() + _HURRY)


def _is_locked(error: DBAPIError) -> bool:
    return getattr(error.orig, "sqlstate", None) == LOCKED


def own_name() -> str:
    """Return a name for the connections of an open database: the user, machine, process id, and a mark."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # the user has no name
        user = str(os.getuid())
    name = f"arena: {user[:20]}@{socket.gethostname()[:25]}, process {os.getpid()}"
    return f"{name.encode('ascii', 'replace').decode()[:56]} #{secrets.token_hex(2)}"


@dataclass(frozen=True, slots=True)
class Claim:
    """A tournament that this program runs. The lock belongs to a connection.

    Attributes:
        address: the database, for messages.
        number: the id of the tournament.
        tournament: its name.
        name: what the server calls the connections of this open database.
    """

    address: ServerAddress
    number: int
    tournament: str
    name: str

    def take(self, connection: psycopg.Connection) -> None:
        """Take the lock of the tournament for the connection.

        After a fault of the network, the server may not know that an earlier connection of this program is
        lost. Such a connection is ended.

        Raises:
            StoreError: another program runs the tournament; the message says which one, and since when.
        """
        deadline = time.monotonic() + _GHOST
        key = (_SPACE, self.number % 2**31)
        while True:
            row = connection.execute("SELECT pg_try_advisory_lock(%s, %s)", key).fetchone()
            if row is not None and row[0]:
                connection.commit()  # the lock stays until the connection ends
                return
            holder = connection.execute(_HOLDER, key).fetchone()
            connection.commit()
            if holder is not None and (holder[1] != self.name or time.monotonic() > deadline):
                raise StoreError(
                    f"{self.address}: the tournament {self.tournament!a} is being run by {_who(*holder[:2])}"
                    f"{_since(holder[2])}; let only one program run it"
                )
            if holder is not None:
                connection.execute("SELECT pg_terminate_backend(%s)", (holder[3],))
                connection.commit()
            time.sleep(0.05)


_HOLDER: Final = """
    SELECT usename, application_name, to_char(backend_start, 'YYYY-MM-DD HH24:MI:SS "UTC"'), pid
    FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid = %s AND objid = %s
    AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
"""Who has the lock of a tournament. Only users with the same rights see the name of a program and a time."""


def _who(user: str, program: str | None) -> str:
    return (
        program.removeprefix("arena: ").rpartition(" #")[0] if program else f"the user {user} of the server"
    )


def _since(began: str | None) -> str:
    return f" since {began}" if began else ""
