"""The task that stores games: it takes them from a channel and stores waiting games together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import trio

from arena.errors import StoreUnavailable
from arena.model import GameRecord
from arena.store.queries import GAMES_AT_ONCE
from arena.store.store import Store

REST: Final = 0.25
"""The least seconds from one transaction to the next, so that games that end meanwhile share it.

Quick engines end a hundred games a second. With a transaction for each, the database took 59 % of the
processor time of `arena run`.
"""

PATIENCE: Final = 600.0
"""Seconds to wait for a lost server when all games of the run have ended."""

_PAUSES: Final = (0.2, 0.5, 1.0, 2.0, 5.0)
"""Seconds before the next attempts to reach a lost server; the last one repeats."""


@dataclass(slots=True)
class GameWriter:
    """Stores the games of a run.

    While the server of the database is lost, it keeps the games and tries again. Then the channel fills up,
    and the tasks that send games to it wait.
    """

    store: Store
    # Called with each batch as soon as it is stored. Its games have their numbers in the database, but those
    # that an interrupted attempt has stored.
    committed: Callable[[Sequence[GameRecord]], None]
    # Called after that, in a thread. When the task is cancelled, the thread is abandoned.
    stored: Callable[[Sequence[GameRecord]], None]
    ending: trio.Event = field(default_factory=trio.Event)  # set it when no more games come
    tell: Callable[[str], None] = lambda _: None  # called when the server is lost, and when it is back
    _last_call: float | None = field(default=None, init=False)  # when to give up, as trio.current_time()

    async def run(self, games: trio.MemoryReceiveChannel[GameRecord]) -> None:
        """Store every game from the channel until all senders are closed.

        A game is stored immediately, or `REST` seconds after the last transaction. If its ``send`` has
        returned, it is stored even when this task is cancelled. After a `StoreError` senders get
        `trio.BrokenResourceError`. A lost server is waited for without a limit while games end, and for
        `PATIENCE` seconds after the last game.
        """
        with games:
            try:
                async for game in games:
                    rested = trio.current_time() + REST
                    batch = [game, *_waiting(games, GAMES_AT_ONCE - 1)]
                    await self._write(batch, games)
                    with suppress(StoreUnavailable):  # what it computes can be computed later
                        await trio.to_thread.run_sync(self.stored, batch, abandon_on_cancel=True)
                    with trio.move_on_at(rested):
                        await self.ending.wait()
            except trio.Cancelled:
                await self._write(_waiting(games, math.inf), games)
                raise

    async def _write(self, batch: list[GameRecord], games: trio.MemoryReceiveChannel[GameRecord]) -> None:
        """Store games in a thread, and wait for a lost server. A cancellation waits for the thread."""
        attempts = 0
        stored: list[GameRecord] = []
        while True:
            add = partial(self.store.add_games, batch, again=attempts > 0)
            try:
                with trio.CancelScope(shield=True):
                    stored = await trio.to_thread.run_sync(add)
                break
            except StoreUnavailable as error:
                if attempts == 0:
                    room = games.statistics().max_buffer_size + len(batch)
                    self.tell(
                        f"{error}. Games go on, and {room} of them can wait to be stored; then no more start."
                        " arena tries again every few seconds; after Ctrl-C twice the next run plays them"
                        " again"
                    )
                if not await self._pause(attempts):
                    raise
                attempts += 1
        if attempts:
            self.tell("the database is back, and all games that waited are being stored")
        numbered = {(game.result.key, game.started): game for game in stored}
        self.committed([numbered.get((game.result.key, game.started), game) for game in batch])

    async def _pause(self, attempts: int) -> bool:
        """Wait before the next attempt to reach a lost server; return False if there is none."""
        if self.ending.is_set():
            if self._last_call is None:
                self._last_call = trio.current_time() + PATIENCE
            if trio.current_time() > self._last_call:
                return False
        try:
            await trio.sleep(_PAUSES[min(attempts, len(_PAUSES) - 1)])
        except trio.Cancelled:
            return False  # the error of the database is what the user must see
        return True


def _waiting(games: trio.MemoryReceiveChannel[GameRecord], most: float) -> list[GameRecord]:
    """Take the waiting games from the channel, up to ``most``."""
    waiting: list[GameRecord] = []
    while len(waiting) < most:
        try:
            waiting.append(games.receive_nowait())
        except (trio.WouldBlock, trio.EndOfChannel):
            break
    return waiting
