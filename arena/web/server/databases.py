"""The databases of a server, and the tournaments in them. All methods block, so call them in a thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from arena.address import full_name
from arena.tables.tournament_list import TournamentRow, tournament_list

if TYPE_CHECKING:
    from arena.store import Store

__all__ = ["Databases", "ServedDatabase", "ServedTournament"]

_Value = TypeVar("_Value")
_MOST_VALUES = 200
"""The most computed values that a database keeps."""


@dataclass(slots=True)
class _Computed:
    """A value that was computed from a database.

    Attributes:
        lock: held while it is read or computed.
        version: of the database, see `ServedDatabase.version`; None before it is computed.
        rests_until: when it may be computed again, on the monotonic clock.
        value: the value.
    """

    lock: Lock = field(default_factory=Lock)
    version: str | None = None
    rests_until: float = 0.0
    value: Any = None


class ServedDatabase:
    """A database and what was computed from it.

    Attributes:
        number: its number on the command line, from 1.
        store: the open database.
        path: names it, as `arena.address.full_name` does.
    """

    def __init__(self, number: int, store: Store) -> None:
        self.number = number
        self.store = store
        self.path = full_name(store.address)
        self._lock = Lock()
        self._values: dict[object, _Computed] = {}

    @property
    def version(self) -> str:
        """A text that changes when a game is stored."""
        return self.store.version

    def computed(self, key: object, compute: Callable[[Store], _Value], *, rest: float = 0.0) -> _Value:
        """Return a value that depends only on the database; compute it if a game was stored since.

        Args:
            key: names the value.
            compute: computes it.
            rest: an older value is good enough for this many times as long as its computation took, so that a
                value that takes long does not keep the server busy while games are stored.
        """
        with self._lock:
            known = self._values.setdefault(key, _Computed())
            while len(self._values) > _MOST_VALUES:
                self._values.pop(next(iter(self._values)))
        with known.lock:  # so that two hundred viewers cause one computation
            version = self.version
            if known.version is None or (known.version != version and time.monotonic() >= known.rests_until):
                began = time.monotonic()
                known.value = compute(self.store)
                known.version = version
                now = time.monotonic()
                known.rests_until = now + rest * (now - began)
            value: _Value = known.value
            return value


@dataclass(frozen=True, slots=True)
class ServedTournament:
    """A tournament of a server.

    Attributes:
        id: names it in addresses: the number of its database and its own number in it, as ``1-3``.
        database: its database.
        row: what is known of it.
    """

    id: str
    database: ServedDatabase
    row: TournamentRow

    @property
    def name(self) -> str:
        """Its name."""
        return self.row["tournament"]

    @property
    def run_key(self) -> tuple[str, str]:
        """What a running tournament tells of itself: the name of the database, and its own."""
        return self.database.path, self.name


class Databases:
    """The databases that a server shows.

    Args:
        stores: the open databases.
    """

    def __init__(self, stores: list[Store]) -> None:
        self._databases = [ServedDatabase(number, store) for number, store in enumerate(stores, 1)]

    def __iter__(self) -> Iterator[ServedDatabase]:
        return iter(self._databases)

    def get(self, number: int) -> ServedDatabase | None:
        """Return the database with a number; None if there is none."""
        return self._databases[number - 1] if 1 <= number <= len(self._databases) else None

    def tournaments(self) -> list[ServedTournament]:
        """Return all tournaments, the newest first."""
        found = [
            ServedTournament(f"{database.number}-{number}", database, row)
            for database in self._databases
            for number, row in enumerate(database.computed("tournaments", tournament_list), 1)
        ]
        return sorted(found, key=lambda tournament: tournament.row["begun"], reverse=True)

    def tournament(self, id_: str) -> ServedTournament | None:
        """Return the tournament with an id; None if there is none."""
        return next((one for one in self.tournaments() if one.id == id_), None)
