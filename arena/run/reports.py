"""Report the end of a game only when the game is stored, so that no game is reported and then lost."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from arena.model import GameRecord
from arena.run.events import EngineDisabled, GameEnded, TournamentEvent

__all__ = ["StoredFirst"]


class StoredFirst:
    """Holds back each `GameEnded` until its game is stored, and `EngineDisabled` until earlier games are.

    Reports keep their order, and nobody waits for them: games go on while the database stores earlier ones.

    Args:
        observe: called with every event of the tournament.
    """

    def __init__(self, observe: Callable[[TournamentEvent], None]) -> None:
        self._observe = observe
        self._waiting: deque[GameEnded | EngineDisabled] = deque()
        self._stored: set[str] = set()

    def observe(self, event: TournamentEvent) -> None:
        """Report an event now, or when its game is stored."""
        if isinstance(event, GameEnded | EngineDisabled):
            self._waiting.append(event)
            self._report()
        else:
            self._observe(event)

    def committed(self, games: Sequence[GameRecord]) -> None:
        """Report the end of games that are stored now."""
        self._stored.update(game.result.key for game in games if game.result.counts)
        self._report()

    def _report(self) -> None:
        while self._waiting:
            event = self._waiting[0]
            if isinstance(event, GameEnded):
                if event.result.key not in self._stored:
                    return
                self._stored.remove(event.result.key)
            self._observe(self._waiting.popleft())
