"""One task that writes: games come through a channel, and what waits there shares a transaction."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

import trio

from arena.model import GameRecord
from arena.store.store import Store

__all__ = ["BATCH", "run_writer"]

BATCH: Final = 200
"""Games in a transaction, at most: a commit costs about as much as storing ten of them."""


async def run_writer(
    store: Store,
    games: trio.MemoryReceiveChannel[GameRecord],
    stored: Callable[[Sequence[GameRecord]], None],
) -> None:
    """Store every game that comes, until all senders are closed.

    ``stored`` is told of every batch, in a thread that is left to itself when this is cancelled.

    A game whose ``send`` has returned is stored even when this task is cancelled. The channel is closed in
    the end, so that after an error here its senders don't wait for ever but get `trio.BrokenResourceError`.

    Raises:
        StoreError: a game could not be stored. The games of its transaction are then not stored, and neither
            are those that wait; the earlier ones are.
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
    """What can be had at once."""
    waiting: list[GameRecord] = []
    while len(waiting) < most:
        try:
            waiting.append(games.receive_nowait())
        except (trio.WouldBlock, trio.EndOfChannel):
            break
    return waiting


async def _write(store: Store, games: list[GameRecord]) -> None:
    """Write in a thread, to the end whatever happens meanwhile."""
    with trio.CancelScope(shield=True):
        await trio.to_thread.run_sync(store.add_games, games)
