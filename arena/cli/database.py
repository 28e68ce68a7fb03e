"""Reading a database for a command: open it, close it, sort its results by game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from arena.model import Result

if TYPE_CHECKING:
    from arena.store import Store

__all__ = ["by_game", "opened"]


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


def by_game(results: Iterable[Result]) -> dict[str, list[Result]]:
    """The results that count by game id, in the order in which the ids come up."""
    games: dict[str, list[Result]] = {}
    for result in results:
        if result.counts:
            games.setdefault(result.game, []).append(result)
    return games
