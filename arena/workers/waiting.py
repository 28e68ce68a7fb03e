"""The games that wait for a worker, and how many of them it gets in a batch."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from itertools import count
from typing import Final

from referee.match.job import Job

TARGET_SECONDS: Final = 30.0
"""Seconds that a batch should take: much longer than its process takes to start, but not too long to lose."""

MOST_GAMES: Final = 200  # the most games of a batch
_WEIGHT: Final = 0.1  # how much the last game counts in the mean


class GameTimes:
    """The mean time of a game in seconds, in which later games count more; None before the first game."""

    def __init__(self) -> None:
        self.seconds: float | None = None

    def add(self, seconds: float) -> None:
        """Count a game."""
        if self.seconds is None:
            self.seconds = seconds
        else:
            self.seconds += _WEIGHT * (seconds - self.seconds)

    @property
    def wanted(self) -> int:
        """How many games a batch should have; 1 before the first game."""
        if self.seconds is None:
            return 1
        return max(1, min(MOST_GAMES, int(TARGET_SECONDS / max(self.seconds, 1e-3))))


def batch_size(times: GameTimes, waiting: int, slots: int) -> int:
    """Return how many waiting games a worker gets, so that the last games are spread over all workers."""
    return max(1, min(times.wanted, -(-waiting // max(slots, 1))))


class WaitingJobs:
    """The waiting games, in the order in which they came."""

    def __init__(self) -> None:
        self._groups: OrderedDict[int, list[Job]] = OrderedDict()
        self._count = 0
        self._incomplete: dict[Hashable, int] = {}  # of each kind of games, the group that is not full
        self._numbers = count()

    def __len__(self) -> int:
        return self._count

    def add(self, job: Job) -> int:
        """Add a game: to its group, or to a new one if that is full. Return the number of the group."""
        kind = _kind(job)
        number = self._incomplete.get(kind)
        if number is None:
            number = self._incomplete[kind] = next(self._numbers)
        group = self._groups.setdefault(number, [])
        group.append(job)
        self._count += 1
        if len(group) == len(job.seats):
            del self._incomplete[kind]
        return number

    def put_back(self, jobs: Iterable[Job]) -> None:
        """Add games that a worker has lost, before all others."""
        for number in sorted({self.add(job) for job in jobs}, reverse=True):
            self._groups.move_to_end(number, last=False)

    def clear(self) -> list[str]:
        """Remove all games, and return their ids."""
        ids = [job.id for group in self._groups.values() for job in group]
        self._groups.clear()
        self._incomplete.clear()
        self._count = 0
        return ids

    def take(self, most: int, can_play: Callable[[Job], bool], *, more_come: bool) -> list[Job]:
        """Remove and return whole groups, until there are ``most`` games or no more that the worker can play.

        If more games may come, the newest group is left while it is incomplete.
        """
        taken: list[Job] = []
        newest = next(reversed(self._groups), None)
        for number, group in list(self._groups.items()):
            if len(taken) >= most or (more_come and number == newest and len(group) < len(group[0].seats)):
                break
            if can_play(group[0]):
                taken += group
                self._drop(number, _kind(group[0]))
        self._count -= len(taken)
        return taken

    def _drop(self, number: int, kind: Hashable) -> None:
        """Forget a group."""
        del self._groups[number]
        if self._incomplete.get(kind) == number:
            del self._incomplete[kind]


def _kind(job: Job) -> Hashable:
    """Return the same for games with the same engines and opening."""
    return job.game, tuple(sorted(seat.engine.name for seat in job.seats)), job.position, job.moves
