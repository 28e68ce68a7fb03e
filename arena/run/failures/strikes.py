"""Counts in how many games in a row an engine has failed, to disable it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from arena.model import GameResult

__all__ = ["MAX_STRIKES", "Strikes"]

MAX_STRIKES: Final = 3
"""An engine is disabled after a crash, stall or flood in this many games in a row."""


class Strikes:
    """The failures of each engine since its last game without one."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def count(self, result: GameResult) -> list[str]:
        """Count the failures in a game that was played; return the engines that failed too often."""
        failed = [
            player.name
            for player in result.players
            if player.forfeit is not None and player.forfeit.is_strike
        ]
        self.clear(player.name for player in result.players if player.name not in failed)
        return self.add(failed)

    def add(self, names: Iterable[str]) -> list[str]:
        """Count a failure of each of these engines; return those that failed too often."""
        names = list(names)
        self._counts.update(names)
        return [name for name in names if self._counts[name] >= MAX_STRIKES]

    def clear(self, names: Iterable[str]) -> None:
        """Forget the failures of these engines."""
        for name in names:
            del self._counts[name]
