"""Statistics of the workers that played games: how many, how they failed, and how deep engines searched."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Final

from arena.model import GameRecord
from arena.tables.text_table import TextTable, numbered
from referee.outcome import Termination

_THIS_MACHINE: Final = "(this machine)"  # what tables call the machine of ``arena run``

_WORKERS_NOTE: Final = (
    "Order: worker. Lost on time, crashes and other forfeits: games in which an engine lost in this way."
    " Void: games without a result. Depth: the mean of the depths that engines reported."
)


@dataclass(slots=True)
class WorkerStatistics:
    """The games of one worker: that count, void ones, forfeits of seats, and the sum of depths."""

    games: int = 0
    void: int = 0
    forfeits: Counter[Termination] = field(default_factory=Counter)
    moves: int = 0
    depths: int = 0

    @property
    def depth(self) -> float | None:
        """The mean depth; None if no engine reported one."""
        return self.depths / self.moves if self.moves else None

    @property
    def other_forfeits(self) -> int:
        """The number of forfeits that are neither on time nor a crash."""
        return self.forfeits.total() - self.forfeits[Termination.TIME] - self.forfeits[Termination.CRASH]


class WorkerCollector:
    """Collects the statistics of workers, one game at a time. Games that were not played are left out."""

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
        worker.forfeits.update(player.forfeit for player in result.players if player.forfeit is not None)
        for ply in record.record:
            if ply.depth is not None:
                worker.moves += 1
                worker.depths += ply.depth

    def table(self, game: str) -> TextTable:
        """Return the table of the workers; ``game`` is the game id of the games, or ""."""
        rows = [
            (
                name or _THIS_MACHINE,
                str(worker.games),
                str(worker.forfeits[Termination.TIME] or ""),
                str(worker.forfeits[Termination.CRASH] or ""),
                str(worker.other_forfeits or ""),
                str(worker.void or ""),
                "" if worker.depth is None else f"{worker.depth:.1f}",
            )
            for name, worker in sorted(self.workers.items())
        ]
        headers = ("worker", "games", "lost on time", "crashes", "other forfeits", "void", "depth")
        return numbered(game, "workers", headers, rows, _WORKERS_NOTE)

    def data(self) -> list[dict[str, object]]:
        """Return the workers for programs."""
        return [
            {
                "worker": name,
                "games": worker.games,
                "void": worker.void,
                "forfeits": {reason.value: count for reason, count in sorted(worker.forfeits.items())},
                "depth": worker.depth,
            }
            for name, worker in sorted(self.workers.items())
        ]
