"""The games that wait for a worker, and how many of them it gets in a batch."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
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
    """The waiting games, in the order in which they came. A group is the games of a pair, or of a table."""

    def __init__(self) -> None:
        self._jobs: dict[str, tuple[Hashable, Job]] = {}  # with their kinds, by their ids

    def __len__(self) -> int:
        return len(self._jobs)

    def add(self, job: Job) -> None:
        """Add a game."""
        self._jobs[job.id] = _kind(job), job

    def put_back(self, jobs: Iterable[Job]) -> None:
        """Add games that a worker has lost, before all others."""
        self._jobs = {job.id: (_kind(job), job) for job in jobs} | self._jobs

    def clear(self) -> list[str]:
        """Remove all games, and return their ids."""
        ids = list(self._jobs)
        self._jobs.clear()
        return ids

    def take(self, most: int, can_play: Callable[[Job], bool], *, more_come: bool) -> list[Job]:
        """Remove and return whole groups, until there are ``most`` games or no more that the worker can play.

        If more games may come, the newest group is left while it is incomplete.
        """
        groups: list[list[Job]] = []
        incomplete: dict[Hashable, list[Job]] = {}
        for kind, job in self._jobs.values():
            if kind not in incomplete:
                groups.append(incomplete.setdefault(kind, []))
            incomplete[kind].append(job)
            if len(incomplete[kind]) == len(job.seats):
                del incomplete[kind]
        if more_come and groups and len(groups[-1]) < len(groups[-1][0].seats):
            groups.pop()
        taken: list[Job] = []
        for group in groups:
            if len(taken) < most and can_play(group[0]):
                taken += group
        for job in taken:
            del self._jobs[job.id]
        return taken


def _kind(job: Job) -> Hashable:
    """Return the same for games with the same engines and opening."""
    return job.game, tuple(sorted(seat.engine.name for seat in job.seats)), job.position, job.moves
