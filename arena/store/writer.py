"""The task that stores games: it takes them from a channel and stores waiting games together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import trio

from arena.errors import StoreError
from arena.model import GameRecord
from arena.store.store import Store

__all__ = ["BATCH", "REST", "GameWriter"]

BATCH: Final = 200
"""The most games in a transaction: a commit takes as long as storing ten games."""

REST: Final = 0.25
"""The least seconds from one transaction to the next, so that games that end meanwhile share it.

Engines that answer at once end a hundred games a second. With a transaction for each, the database took 59 %
of the processor time of `arena run`.
"""


@dataclass(slots=True)
class GameWriter:
    """Stores the games of a run.

    Attributes:
        store: the database.
        committed: called with each batch as soon as it is stored.
        stored: called after that, in a thread. When the task is cancelled, the thread is abandoned.
        unsaved: the games that were taken from the channel and could not be stored; empty without a fault.
        ending: set it when no more games come, so that the task does not rest any more.
    """

    store: Store
    committed: Callable[[Sequence[GameRecord]], None]
    stored: Callable[[Sequence[GameRecord]], None]
    unsaved: list[GameRecord] = field(default_factory=list)
    ending: trio.Event = field(default_factory=trio.Event)

    async def run(self, games: trio.MemoryReceiveChannel[GameRecord]) -> None:
        """Store every game from the channel until all senders are closed.

        A game is stored at once, or `REST` seconds after the last transaction. If its ``send`` has returned,
        it is stored even when this task is cancelled. The channel is closed at the end, so after an error
        here the senders get `trio.BrokenResourceError` and do not wait forever.

        Args:
            games: the channel.

        Raises:
            StoreError: a game could not be stored. `unsaved` has the games of its transaction and the waiting
                games; earlier games are stored.
        """
        with games:
            try:
                async for game in games:
                    rested = trio.current_time() + REST
                    batch = [game, *_waiting(games, BATCH - 1)]
                    await self._write(batch)
                    await trio.to_thread.run_sync(self.stored, batch, abandon_on_cancel=True)
                    with trio.move_on_at(rested):
                        await self.ending.wait()
            except trio.Cancelled:
                await self._write(_waiting(games, math.inf))
                raise
            except StoreError:
                self.unsaved += _waiting(games, math.inf)
                raise

    async def _write(self, games: list[GameRecord]) -> None:
        """Store games in a thread; a cancellation waits for the end of it."""
        try:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(self.store.add_games, games)
        except StoreError:
            self.unsaved += games
            raise
        self.committed(games)


def _waiting(games: trio.MemoryReceiveChannel[GameRecord], most: float) -> list[GameRecord]:
    """Take the waiting games from the channel, up to ``most``."""
    waiting: list[GameRecord] = []
    while len(waiting) < most:
        try:
            waiting.append(games.receive_nowait())
        except (trio.WouldBlock, trio.EndOfChannel):
            break
    return waiting
