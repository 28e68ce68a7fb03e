"""The games of a run that wait: lost ones, which must be played again, and ones that are postponed.

Their order helps to tell a guilty engine from those that only played with it. A lost game waits while other
games start: one for each engine of the tournament, but at most `_LONGEST_WAIT`. While other games can be
played, a game in which all engines are suspects does not start: its loss would show nothing new.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from arena.model import Pairing
from arena.run.failures.blame import Suspects

__all__ = ["WaitingGames"]

_LONGEST_WAIT: Final = 50
"""The most games that a lost game waits for, because the ratings of a ladder wait for it."""


class WaitingGames:
    """The waiting games, in the order in which they were lost or postponed.

    Args:
        suspects: the engines that may be the cause of lost games.
    """

    def __init__(self, suspects: Suspects) -> None:
        self._suspects = suspects
        self._games: list[tuple[int, Pairing]] = []
        self._started = 0

    def start(self) -> None:
        """Note that a game starts."""
        self._started += 1

    def lose(self, pairing: Pairing, *, engines: int) -> None:
        """Add a lost game of a tournament with ``engines`` engines."""
        self._games.append((self._started + min(engines, _LONGEST_WAIT), pairing))

    def full(self, *, engines: int) -> bool:
        """Return whether enough games wait to find a guilty one of ``engines`` engines."""
        return len(self._games) >= 2 * engines and all(
            self._suspects.include(pairing.seats) for _, pairing in self._games
        )

    def postpone(self, pairing: Pairing, *, engines: int) -> bool:
        """Add a game of a tournament with ``engines`` engines if all that play in it are suspects.

        Returns:
            Whether it was added. It is not if no other engines could play instead.
        """
        wanted = engines > len(pairing.seats) and self._suspects.include(pairing.seats)
        if wanted:
            self._games.append((self._started, pairing))
        return wanted

    def due(self) -> Pairing | None:
        """Remove and return the first game that has waited long enough; None if there is none."""
        for index, (due, pairing) in enumerate(self._games):
            if due <= self._started and not self._suspects.include(pairing.seats):
                del self._games[index]
                return pairing
        return None

    def best(self, *, idle: bool) -> Pairing | None:
        """Remove and return the game that shows most about the suspects, if nothing else can be played.

        Args:
            idle: whether no game is running. Otherwise a game between suspects alone keeps waiting.
        """

        def dullness(game: tuple[int, Pairing]) -> tuple[bool, int, int]:
            seats = game[1].seats
            return self._suspects.include(seats), *self._suspects.known(seats)

        game = min(self._games, key=dullness, default=None)
        if game is None or (self._suspects.include(game[1].seats) and not idle):
            return None
        self._games.remove(game)
        return game[1]

    def take(self, keys: Collection[str]) -> list[Pairing]:
        """Remove and return the games with these keys."""
        return self._take(lambda pairing: pairing.key in keys)

    def without(self, engines: Collection[str]) -> list[Pairing]:
        """Remove and return the games that need an engine that is not one of ``engines``."""
        return self._take(lambda pairing: not set(pairing.seats) <= set(engines))

    def _take(self, wanted: Callable[[Pairing], bool]) -> list[Pairing]:
        taken = [pairing for _, pairing in self._games if wanted(pairing)]
        self._games = [game for game in self._games if game[1] not in taken]
        return taken
