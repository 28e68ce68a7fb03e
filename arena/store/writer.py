"""The task that stores games: it takes them from a channel and stores waiting games together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

import trio

from arena.model import GameRecord
from arena.store.store import Store

__all__ = ["BATCH", "run_writer"]

BATCH: Final = 200
"""The most games in a transaction: a commit takes as long as storing ten games."""


async def run_writer(
    store: Store,
    games: trio.MemoryReceiveChannel[GameRecord],
    stored: Callable[[Sequence[GameRecord]], None],
) -> None:
    """Store every game from the channel until all senders are closed.

    A game whose ``send`` has returned is stored even when this task is cancelled. The channel is closed at
    the end, so after an error here the senders get `trio.BrokenResourceError` and do not wait forever.

    Args:
        store: the database.
        games: the channel.
        stored: called in a thread with each stored batch. When this task is cancelled, the thread is
            abandoned.

    Raises:
        StoreError: a game could not be stored. The other games of its transaction and the waiting games are
            not stored either; earlier games are stored.
    """
    with games:
        try:
            async for game in games:
                batch = [game, *_waiting(games, BATCH - 1)]
                await _write(store, batch)
                await trio.to_thread.run_sync(stored, batch, abandon_on_cancel=True)
        except trio.Cancelled:
            await _write(store, _waiting(games, math.inf))
            raise


def _waiting(games: trio.MemoryReceiveChannel[GameRecord], most: float) -> list[GameRecord]:
    """Take the waiting games from the channel, up to ``most``."""
    waiting: list[GameRecord] = []
    while len(waiting) < most:
        try:
            waiting.append(games.receive_nowait())
        except (trio.WouldBlock, trio.EndOfChannel):
            break
    return waiting


async def _write(store: Store, games: list[GameRecord]) -> None:
    """Store games in a thread; a cancellation waits for the end of it."""
    with trio.CancelScope(shield=True):
        await trio.to_thread.run_sync(store.add_games, games)
