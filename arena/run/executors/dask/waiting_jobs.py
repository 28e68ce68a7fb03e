"""The games that wait for a worker, in groups that are played together, and how many a worker gets.

A group has the games of the same engines on one opening: a pair. Both games of a pair are played on the same
machine, so that neither engine has a faster one.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from itertools import count
from typing import Final

from referee.match.job import Job

__all__ = ["MOST_GAMES", "TARGET_SECONDS", "GameTimes", "WaitingJobs", "batch_size"]

TARGET_SECONDS: Final = 30.0
"""Seconds that a batch should take: much longer than its process takes to start, but not too long to lose."""

MOST_GAMES: Final = 200
"""The most games of a batch."""

_WEIGHT: Final = 0.1
"""How much the last game counts in the mean."""


class GameTimes:
    """The mean time of a game, in which later games count more.

    Attributes:
        seconds: the mean; None before the first game.
    """

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
    """Return how many games a worker gets, so that the last games are spread over all workers.

    Args:
        times: how long games take.
        waiting: how many games wait.
        slots: how many batches can run at once on all workers.
    """
    return max(1, min(times.wanted, -(-waiting // max(slots, 1))))


class WaitingJobs:
    """The waiting games, in the order in which they came."""

    def __init__(self) -> None:
        self._groups: OrderedDict[int, list[Job]] = OrderedDict()
        self._of_job: dict[str, int] = {}
        self._newest: dict[Hashable, int] = {}  # the newest group of the same engines and opening
        self._numbers = count()

    def __len__(self) -> int:
        return len(self._of_job)

    def add(self, job: Job) -> None:
        """Add a game: to its group, or to a new one if that is full."""
        names = tuple(sorted(seat.engine.name for seat in job.seats))
        kind = job.game, names, job.position, job.moves
        number = self._newest.get(kind, -1)
        if not 0 < len(self._groups.get(number, ())) < len(job.seats):
            number = self._newest[kind] = next(self._numbers)
        self._groups.setdefault(number, []).append(job)
        self._of_job[job.id] = number

    def put_back(self, jobs: Iterable[Job]) -> None:
        """Add games that a worker has lost, before all others."""
        jobs = list(jobs)
        for job in jobs:
            self.add(job)
        for number in sorted({self._of_job[job.id] for job in jobs}, reverse=True):
            self._groups.move_to_end(number, last=False)

    def remove(self, job: str) -> None:
        """Remove a game if it waits."""
        number = self._of_job.pop(job, None)
        if number is not None:
            group = self._groups[number]
            group[:] = [other for other in group if other.id != job]
            if not group:
                del self._groups[number]

    def clear(self) -> list[str]:
        """Remove all games, and return their ids."""
        ids = list(self._of_job)
        self._groups.clear()
        self._newest.clear()
        self._of_job.clear()
        return ids

    def take(self, most: int, can_play: Callable[[Job], bool], *, more_come: bool) -> list[Job]:
        """Remove and return whole groups with at least one game and about ``most`` games.

        Args:
            most: no further group is taken when this many games are taken.
            can_play: whether the worker can play a game.
            more_come: whether more games may come, so that the newest group is left if it is incomplete.
        """
        taken: list[Job] = []
        newest = next(reversed(self._groups), None)
        for number, group in list(self._groups.items()):
            if len(taken) >= most or (more_come and number == newest and len(group) < len(group[0].seats)):
                break
            if can_play(group[0]):
                taken += group
                del self._groups[number]
        for job in taken:
            del self._of_job[job.id]
        return taken
