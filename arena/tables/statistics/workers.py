"""Statistics of the workers that played games: which machines lose games on time, or search less deeply."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from arena.model import GameRecord
from arena.tables.text_table import TextTable
from referee.outcome import Termination

__all__ = ["OWN", "WORKERS_NOTE", "WorkerCollector", "WorkerStatistics", "workers_data", "workers_table"]

OWN: Final = "(this machine)"
"""What tables call the machine of ``arena run``."""

WORKERS_NOTE: Final = (
    "Order: worker. Lost on time, crashes and other forfeits: games in which an engine lost in this way."
    " Void: games without a result. Depth: the mean of the depths that engines reported. Scale: the mean"
    " factor of the time controls."
)


@dataclass(slots=True)
class WorkerStatistics:
    """The games of one worker.

    Attributes:
        games: the number of games that count.
        void: the number of void games.
        forfeits: how many seats lost for each reason of a forfeit.
        moves: the number of moves with a depth.
        depths: the sum of these depths.
        scales: the sum of the scales of the games that count.
    """

    games: int = 0
    void: int = 0
    forfeits: Counter[Termination] = field(default_factory=Counter)
    moves: int = 0
    depths: int = 0
    scales: float = 0.0

    @property
    def depth(self) -> float | None:
        """The mean depth; None if no engine reported one."""
        return self.depths / self.moves if self.moves else None

    @property
    def scale(self) -> float | None:
        """The mean scale; None before the first game."""
        return self.scales / self.games if self.games else None

    @property
    def other_forfeits(self) -> int:
        """The number of forfeits that are neither on time nor a crash."""
        return self.forfeits.total() - self.forfeits[Termination.TIME] - self.forfeits[Termination.CRASH]


class WorkerCollector:
    """Collects the statistics of workers, one game at a time. Games that were not played are left out.

    Attributes:
        workers: the statistics by the name of the worker.
    """

    def __init__(self) -> None:
        self.workers: defaultdict[str, WorkerStatistics] = defaultdict(WorkerStatistics)

    def add(self, record: GameRecord) -> None:
        """Count one game."""
        result = record.result
        if result.termination is Termination.DISABLED:
            return
        worker = self.workers[record.worker]
        if not result.counts:
            worker.void += 1
            return
        worker.games += 1
        worker.scales += record.scale
        worker.forfeits.update(player.forfeit for player in result.players if player.forfeit is not None)
        for ply in record.record:
            if ply.depth is not None:
                worker.moves += 1
                worker.depths += ply.depth


def workers_table(workers: Mapping[str, WorkerStatistics]) -> TextTable:
    """Return the table of the workers."""
    return TextTable(
        ("#", "worker", "games", "lost on time", "crashes", "other forfeits", "void", "depth", "scale"),
        tuple(
            (
                str(number),
                name or OWN,
                str(worker.games),
                str(worker.forfeits[Termination.TIME] or ""),
                str(worker.forfeits[Termination.CRASH] or ""),
                str(worker.other_forfeits or ""),
                str(worker.void or ""),
                "" if worker.depth is None else f"{worker.depth:.1f}",
                "" if worker.scale is None else f"{worker.scale:.2f}",
            )
            for number, (name, worker) in enumerate(sorted(workers.items()), 1)
        ),
    )


def workers_data(workers: Mapping[str, WorkerStatistics]) -> list[dict[str, object]]:
    """Return the workers as data for programs."""
    return [
        {
            "worker": name,
            "games": worker.games,
            "void": worker.void,
            "forfeits": {reason.value: count for reason, count in sorted(worker.forfeits.items())},
            "depth": worker.depth,
            "scale": worker.scale,
        }
        for name, worker in sorted(workers.items())
    ]
