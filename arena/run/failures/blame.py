"""Finds the engine that causes the loss of game after game.

An engine can stop its referee or kill it, or start so many processes that no other engine can start. Arena
cannot see which engine did it, only which engines played at that time. So it counts for each engine how often
in a row one of its games was lost in this way. A game that ends as usual clears its engines. After `MAX_LOST`
times the engine with the highest count is guilty. If the lost game has engines that have not ended any game
as usual yet, only these can be guilty. Engines that are tied, as when only two engines play, are guilty
together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["ATTACKED", "EXHAUSTED", "MAX_LOST", "Cause", "Suspects"]

MAX_LOST: Final = 3
"""An engine is guilty when its games were lost this many times in a row."""


@dataclass(frozen=True, slots=True)
class Cause:
    """What happens to games again and again if an engine is guilty.

    Attributes:
        what: what happens to each game.
        remedy: what the user can do about it.
    """

    what: str
    remedy: str

    def verdict(self, guilty: Iterable[str]) -> str:
        """Return why these engines lose each of the lost games."""
        return f"{self.what} {MAX_LOST} times in a row while {' and '.join(guilty)} played"

    def announcement(self, guilty: Iterable[str], last: str) -> str:
        """Return what the user is told; ``last`` says what happened the last time."""
        return f"{self.verdict(guilty)}; {self.remedy}; the last time: {last}"


ATTACKED: Final = Cause("the referee was stopped or killed", 'no engine with `sandbox = "bwrap"` can do that')
EXHAUSTED: Final = Cause("no more processes could be started", "a limit on `processes` prevents that")


@dataclass(slots=True)
class _Incident:
    """A game that was lost.

    Attributes:
        key: the game.
        seats: its engines.
        open: its engines that have not ended a game as usual since.
        counted: the engines in `open` for which it counts.
    """

    key: str
    seats: frozenset[str]
    open: set[str]
    counted: set[str]


class Suspects:
    """The engines that may be the cause of lost games."""

    def __init__(self) -> None:
        self._incidents: list[_Incident] = []
        self._proven: set[str] = set()  # the engines that have ended a game as usual
        self._starts = 0
        self._started: dict[str, int] = {}  # by key: the number of game starts up to this one
        self._accused: dict[str, int] = {}  # by engine: the number of game starts before its last incident

    def __bool__(self) -> bool:
        """Whether there are suspects."""
        return any(incident.counted for incident in self._incidents)

    def include(self, engines: Collection[str]) -> bool:
        """Return whether all these engines are suspects."""
        counts = self._counts()
        return all(counts[name] for name in engines)

    def known(self, engines: Collection[str]) -> tuple[int, int]:
        """Return the number of lost games in which all these engines played, and the sum of their counts."""
        counts = self._counts()
        together = sum(incident.seats.issuperset(engines) for incident in self._incidents)
        return together, sum(counts[name] for name in engines)

    def start(self, key: str) -> None:
        """Note that a game starts."""
        self._starts += 1
        self._started[key] = self._starts

    def end(self, key: str, engines: Iterable[str]) -> None:
        """Note that a game of these engines has ended as usual."""
        engines = set(engines)
        self._started.pop(key, None)
        self._clear(engines)
        self._proven |= engines

    def forget(self, engines: Collection[str]) -> None:
        """Note that these engines play no more, or are other programs now."""
        self._clear(engines)
        self._proven.difference_update(engines)

    def lose(self, key: str, seats: Iterable[str]) -> Mapping[str, frozenset[str]]:
        """Note that a game was lost.

        Games that run at the same time can be lost for the same cause. So a game does not count for an engine
        if it started before the last lost game of this engine was counted.

        Returns:
            The guilty engines, each with the keys of its lost games. From now on, these games count for no
            engine.
        """
        engines = frozenset(seats)
        started = self._started.pop(key, self._starts)
        counted = {name for name in engines if self._accused.get(name, 0) < started}
        self._accused |= dict.fromkeys(counted, self._starts)
        self._incidents.append(_Incident(key, engines, set(engines), counted))
        counts = self._counts()
        accused = engines - self._proven or engines
        most = max(counts[name] for name in accused)
        if most < MAX_LOST:
            return {}
        guilty = {
            name: frozenset(incident.key for incident in self._incidents if name in incident.open)
            for name in sorted(accused)
            if counts[name] == most
        }
        self._incidents = [incident for incident in self._incidents if incident.seats.isdisjoint(guilty)]
        return guilty

    def _counts(self) -> Counter[str]:
        return Counter(name for incident in self._incidents for name in incident.counted)

    def _clear(self, engines: Collection[str]) -> None:
        for incident in self._incidents:
            incident.open.difference_update(engines)
            incident.counted.difference_update(engines)
        self._incidents = [incident for incident in self._incidents if incident.open]
