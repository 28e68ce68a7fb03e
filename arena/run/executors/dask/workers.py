"""What the hub knows of a worker, and the batches that it plays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from referee.match.job import Job

__all__ = ["MOST_VOID", "Batch", "Worker"]

MOST_VOID: Final = 3
"""A worker gets no more games after this many games in a row were void because of its machine."""


@dataclass(slots=True, eq=False)
class Batch:
    """Games that were sent to a worker.

    Attributes:
        name: its name.
        worker: the worker.
        jobs: the games that have not ended, by id.
        trials: the ids of the engines that it tries.
    """

    name: str
    worker: Worker
    jobs: dict[str, Job]
    trials: frozenset[str] = frozenset()


@dataclass(slots=True, eq=False)
class Worker:
    """A worker of the cluster.

    Attributes:
        address: its address.
        name: its name, as users see it.
        ready: whether it was examined, and can play.
        lacks: why it cannot play with some engines, by the engine's name.
        missing: the engines whose files must be sent to it before their first game.
        cores: the number of cores that it offers.
        scale: the factor by which time controls are multiplied.
        batches: what it plays.
        void: the number of games in a row that were void because of its machine.
    """

    address: str
    name: str
    ready: bool = False
    lacks: dict[str, str] = field(default_factory=dict)
    missing: set[str] = field(default_factory=set)
    cores: int = 1
    scale: float = 1.0
    batches: set[Batch] = field(default_factory=set)
    void: int = 0

    def slots(self, cores: int) -> int:
        """Return how many batches it plays at once if each game has ``cores`` cores."""
        return max(self.cores // cores, 1)

    def can_play(self, job: Job) -> bool:
        """Return whether it has the engines of a game."""
        return not any(seat.engine.name in self.lacks for seat in job.seats)
