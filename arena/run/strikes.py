"""When an engine is disabled: it crashed, stalled or flooded in three games in a row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import Final

from arena.model import GameResult
from arena.scoring import was_played
from arena.store import Store

MOST_STRIKES: Final = 3
_PAGE: Final = 20


def _failed(result: GameResult) -> list[str]:
    """Return the engines that crashed, stalled or flooded in a game."""
    return [
        player.name
        for player in result.players
        if player.forfeit is not None and player.forfeit.is_strike
    ]  # fmt: skip


class Strikes:
    """The crashes, stalls and floods of each engine since its last game without one."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def count(self, result: GameResult) -> list[str]:
        """Count the failures in a game that was played; return the engines that failed too often."""
        failed = _failed(result)
        self.clear(player.name for player in result.players if player.name not in failed)
        self._counts.update(failed)
        return [name for name in failed if self._counts[name] >= MOST_STRIKES]

    def clear(self, names: Iterable[str]) -> None:
        """Forget the failures of these engines."""
        for name in names:
            del self._counts[name]


def stored_strikes(store: Store, tournament: str, name: str, version: str) -> int:
    """Return in how many of its last games, one after another, this version of an engine failed.

    A run counts from its start and from each change of the engine, so the next run tries the engine again.
    """

    def is_strike(result: GameResult) -> bool:
        return name in _failed(result) and (name, version) in ((p.name, p.version) for p in result.players)

    return sum(1 for _ in takewhile(is_strike, _played(store, tournament, name)))


def _played(store: Store, tournament: str, name: str) -> Iterator[GameResult]:
    """Give the results of the games that an engine played, the newest first."""
    before = 0
    while found := store.newest(_PAGE, tournament=tournament, players=[name], before=before):
        yield from (result for result in found if result.counts and was_played(result.players))
        before = found[-1].id or 0
