"""An open database: every transaction is a session of it, whether it is a file or on a server."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, Final

import msgspec
from sqlmodel import Session

from arena.address import Address
from arena.store import checksums
from arena.store.errors import InvalidRow

__all__ = ["JSON_COLUMNS", "Database", "decoded"]


def decoded(text: str | bytes) -> object:
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


JSON_COLUMNS: Final[dict[str, Any]] = {
    "json_serializer": partial(json.dumps, separators=(",", ":")),
    "json_deserializer": decoded,
}
"""How SQLAlchemy writes and reads JSON columns: the arguments for its engines."""


class Database(ABC):
    """An open database; safe to use from several threads.

    A session is one transaction: `reading` or `writing` begins and ends it. The rows of a session cannot be
    used after its end, so convert them to values before (`arena.store.mapping`).

    Attributes:
        address: where it is.
    """

    __slots__ = ("_verified", "address")

    def __init__(self, address: Address) -> None:
        self.address = address
        self._verified = False

    @abstractmethod
    def prepare(self, *, create: bool) -> None:
        """Make sure that the database has the tables of `arena.store.rows`; bring older ones up to date.

        Args:
            create: make the tables if there is none.

        Raises:
            StoreError: there is no database and ``create`` is false, it belongs to another program or has a
                newer schema, or something has a fault. The database is not changed.
        """

    @abstractmethod
    def reading(self, *, verify: bool = False) -> AbstractContextManager[Session]:
        """Begin a transaction that reads: all its statements see the same state of the database.

        Args:
            verify: verify the checksums of all results, once for each database that is opened. Until the end
                of the transaction it is not certain that they are intact.

        Raises:
            StoreError: the database or the machine has a fault, or a row is damaged.
        """

    @abstractmethod
    def writing(self, *, verify: bool = True) -> AbstractContextManager[Session]:
        """Begin a transaction that writes: at its end everything is stored, after an exception nothing.

        No other program can write during the transaction. New and changed rows are sent to the database at
        the end, or by ``session.flush()``.

        Args:
            verify: verify the checksums of all results before, once for each database that is opened; False
                for a database that has no tables yet.

        Raises:
            StoreError: the database or the machine has a fault, a row is damaged, or another program writes
                for too long. Then nothing is stored.
            StoreUnavailable: the server is not there. If that happens at the end of the transaction, it is
                not known whether everything is stored, or nothing.
        """

    @abstractmethod
    def claim(self, number: int, tournament: str) -> None:
        """Make sure that no other program runs this tournament, until the database is closed.

        Only a server knows who uses it. In a file, two programs notice each other when both store a result of
        the same game.

        Args:
            number: the id of the tournament.
            tournament: its name, for messages.

        Raises:
            StoreError: another program runs it; the message says which one, and since when.
        """

    @property
    @abstractmethod
    def version(self) -> str:
        """A text that changes when something is stored. It is read without a transaction."""

    @abstractmethod
    def hurry(self) -> None:
        """From now on hardly wait for another program that writes: the user wants this one to end."""

    @abstractmethod
    def close(self) -> None:
        """Close all connections."""

    def _verify(self, session: Session) -> None:
        if not self._verified:
            checksums.verify_results(session.connection())
            self._verified = True
