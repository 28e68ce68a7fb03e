"""SQLAlchemy's engines for a file: their connections, and how their transactions begin."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import QueuePool

from arena.errors import StoreError
from arena.store import checksums
from arena.store.database import JSON_COLUMNS
from arena.store.file.connection import BUSY_TIMEOUT, connect
from arena.store.file.disk import no_log

__all__ = ["make_engine"]

_STEPS: Final = 200_000
"""The number of steps of SQLite's machine between two calls of ``interrupted``: some milliseconds."""


def _breathe() -> bool:
    """Let Python notice Ctrl-C during a long statement: it then interrupts the statement; see `explained`."""
    return False


def make_engine(
    path: Path,
    *,
    begin: str | Callable[[Connection], None],
    connections: int,
    pragmas: tuple[str, ...],
    wal: bool = False,
    interrupted: Callable[[], bool] = _breathe,
) -> Engine:
    """Make a SQLAlchemy engine for the file. It connects at its first use.

    Its transactions start with ``begin``, which is a statement, or a function that executes one. SQLite calls
    ``interrupted`` again and again during a statement, and interrupts the statement if it returns True.
    """

    def opened() -> sqlite3.Connection:
        connection = connect(path, "rw")
        try:
            checksums.register(connection)
            connection.set_progress_handler(interrupted, _STEPS)
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
        **JSON_COLUMNS,
    )

    @event.listens_for(engine, "begin")
    def begun(connection: Connection) -> None:
        if isinstance(begin, str):
            connection.exec_driver_sql(begin)
        else:
            begin(connection)

    return engine


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
