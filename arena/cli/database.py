"""Reading a database for a command: open it, close it, find a game in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from arena.errors import ArenaError
from arena.model import GameRecord

if TYPE_CHECKING:
    from arena.store import Store

__all__ = ["load_game", "opened"]


@contextmanager
def opened(path: Path) -> Iterator[Store]:
    """The database, which must exist.

    Raises:
        StoreError: it doesn't, or cannot be used.
    """
    from arena.store import Store

    store = Store.open(path, create=False)
    try:
        yield store
    finally:
        store.close()


def load_game(path: Path, number: int) -> GameRecord:
    """A whole game of the database.

    Raises:
        StoreError: the database cannot be used.
        ArenaError: it has no such game.
    """
    with opened(path) as store:
        record = store.game(number)
    if record is None:
        raise ArenaError(f"{path}: there is no game {number}")
    return record
