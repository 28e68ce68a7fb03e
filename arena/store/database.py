"""An open database: every transaction is a session of it, whether it is a file or on a server."""

from __future__ import annotations

import getpass
import logging
import os
import socket
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from threading import local
from typing import Any, Final

import msgspec
from sqlalchemy.pool import QueuePool
from sqlmodel import Session

from arena.address import Address
from arena.store.mapping import decoded

# SQLAlchemy would print an interrupt that comes while it closes a connection, with a traceback.
logging.getLogger("sqlalchemy.pool").addHandler(logging.NullHandler())

POOL: Final[dict[str, Any]] = {"poolclass": QueuePool, "max_overflow": 0, "pool_timeout": 10.0}
"""How SQLAlchemy keeps connections: the arguments for its engines. Who gets none in so many seconds fails."""

JSON_COLUMNS: Final[dict[str, Any]] = {
    "json_serializer": lambda value: msgspec.json.encode(value).decode(),
    "json_deserializer": decoded,
}
"""How SQLAlchemy writes and reads JSON columns: the arguments for its engines."""


class Database(ABC):
    """An open database, for any thread. A session is one transaction; no row can be used after its end."""

    __slots__ = ("_here", "address")

    def __init__(self, address: Address) -> None:
        self.address = address
        self._here = local()  # the session of the snapshot of this thread

    @abstractmethod
    def prepare(self, *, create: bool) -> None:
        """Make sure that the database has our newest tables; else raise `StoreError`, and change nothing."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Session]:
        """Begin a transaction that reads: all its statements see the same state of the database."""

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Begin a transaction that reads, or join the snapshot of this thread."""
        shared: Session | None = getattr(self._here, "session", None)
        with self._reading() if shared is None else nullcontext(shared) as session:
            yield session

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
        """Begin a transaction that alone writes: at its end everything is stored, after an exception nothing.

        If the end raises `StoreUnavailable`, it is not known which.
        """

    @abstractmethod
    def claim(self, number: int, tournament: str) -> None:
        """Make sure that no other program runs this tournament, until the database is closed."""

    @property
    @abstractmethod
    def version(self) -> str:
        """A text that changes when something is stored. It is read without a transaction."""

    @abstractmethod
    def close(self) -> None:
        """Close all connections."""


def this_program() -> str:
    """Return the user, the machine and the process id."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # the user has no name
        user = str(os.getuid())
    return f"{user[:20]}@{socket.gethostname()[:25]}, process {os.getpid()}"


def database_at(address: Address) -> Database:
    """Return the database of an address, which is not open yet."""
    if isinstance(address, Path):
        from arena.store.sqlite import FileDatabase

        return FileDatabase(address)
    from arena.store.postgresql import ServerDatabase

    return ServerDatabase(address)
