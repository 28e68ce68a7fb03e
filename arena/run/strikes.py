"""When an engine is disabled: it crashed, stalled or flooded in three games in a row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from arena.model import GameResult
from arena.scoring import was_played

if TYPE_CHECKING:
    from arena.store import Store

MOST_STRIKES: Final = 3
_PAGE: Final = 100


def _failed(result: GameResult) -> list[str]:
    """Return the engines that crashed, stalled or flooded in a game."""
    return [one.name for one in result.players if one.forfeit is not None and one.forfeit.is_strike]


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


def stored_strikes(store: Store, tournament: str, versions: Mapping[str, str]) -> dict[str, int]:
    """Return in how many of its last games, one after another, each engine failed in this version.

    A run counts from its start and from each change of the engine, so the next run tries the engine again.
    """
    from arena.store import GameSearch

    def is_strike(name: str, result: GameResult) -> bool:
        version = (name, versions[name])
        return name in _failed(result) and version in ((one.name, one.version) for one in result.players)

    newest = store.finder.results(GameSearch(tournament), _PAGE)  # most engines need no other games
    return {
        name: sum(1 for _ in takewhile(partial(is_strike, name), _played(store, tournament, name, newest)))
        for name in versions
    }


def _played(store: Store, tournament: str, name: str, found: Sequence[GameResult]) -> Iterator[GameResult]:
    """Give the games that an engine played, the newest first; the newest of the tournament are ``found``."""
    from arena.store import GameSearch

    while True:
        for result in found:
            played = name in (player.name for player in result.players)
            if played and result.counts and was_played(result.players):
                yield result
        if len(found) < _PAGE:
            return
        search = GameSearch(tournament, engines=(name,))
        found = store.finder.results(search, _PAGE, after=found[-1].id)
