"""Databases with games."""

from __future__ import annotations

from collections.abc import Iterable

from arena.address import Address
from arena.model import GameRecord
from arena.store import Store


def new_store(path: Address, *tournaments: str, games: Iterable[GameRecord] = ()) -> Store:
    """Create a database with tournaments that have no settings, and with these games."""
    store = Store.open(path, create=True)
    for name in tournaments:
        store.begin_tournament(name, {})
    store.add_games(list(games))
    return store
