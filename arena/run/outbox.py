"""Sends finished games to the database, and keeps the games that the database has not taken."""

from __future__ import annotations

import trio

from arena.model import GameRecord

__all__ = ["Outbox"]


class Outbox:
    """The finished games of a run on their way to the database.

    Args:
        store: the channel to the database. A game that it has taken will be stored.
    """

    def __init__(self, store: trio.MemorySendChannel[GameRecord]) -> None:
        self._store = store
        self._unsent: list[GameRecord] = []

    async def send(self, record: GameRecord) -> None:
        """Wait until the database takes the game. If it has failed, wait until its error ends the run."""
        self._unsent.append(record)
        try:
            await self._store.send(record)
            self._unsent.remove(record)
        except trio.BrokenResourceError:
            await trio.sleep_forever()

    def take_unsent(self) -> list[GameRecord]:
        """Return the games that the database has not taken, and forget them."""
        games, self._unsent = self._unsent, []
        return games

    async def close(self) -> None:
        """Tell the database that no more games follow."""
        await self._store.aclose()
