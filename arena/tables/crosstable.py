"""Everybody against everybody: counted from results, as rows for programs, and as a table for people."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import fsum
from typing import TypedDict

from arena.model import GameResult
from arena.scoring import GameScoreCounts
from arena.tables.standings import Versus, as_tally, points_format, standings, versus
from arena.tables.text_table import PagedTable

__all__ = [
    "CROSSTABLE_NOTE",
    "WIDEST",
    "Crosstable",
    "CrosstableRow",
    "crosstable",
    "crosstable_rows",
    "crosstable_view",
]

CROSSTABLE_NOTE = (
    "Order: points, wins, Sonneborn-Berger (points against each opponent times that opponent's points), name."
)

WIDEST = 100
"""Engines in a crosstable that people look at."""


@dataclass(frozen=True, slots=True)
class Crosstable:
    """Everybody against everybody.

    Attributes:
        names: the engines in the order of `standings`.
        cells: by (engine, opponent); pairs that never met are missing.
    """

    names: tuple[str, ...]
    cells: Mapping[tuple[str, str], Versus]


class VersusRow(TypedDict):
    """What one engine scored against another."""

    points: float
    games: int


class CrosstableRow(TypedDict):
    """One engine's line of the crosstable; opponents that it never met are missing."""

    engine: str
    against: dict[str, VersusRow]


def crosstable(games: Iterable[GameResult] | GameScoreCounts) -> Crosstable:
    """Who scored how much against whom.

    A game of more than two counts once for every pair at the table, by their ranks: 1 for the better one, 1/2
    each for a tie. So a row's points are those of the table only where two play. Neither of two seats that
    share a rank because both forfeited gets anything.
    """
    counts = as_tally(games)
    return Crosstable(tuple(standing.name for standing in standings(counts)), versus(counts))


def crosstable_rows(table: Crosstable) -> list[CrosstableRow]:
    """The crosstable, best first."""
    return [
        CrosstableRow(
            engine=name,
            against={
                opponent: VersusRow(points=cell.points, games=cell.games)
                for opponent in table.names
                if (cell := table.cells.get((name, opponent))) is not None
            },
        )
        for name in table.names
    ]


def crosstable_view(table: Crosstable) -> PagedTable:
    """The crosstable as a table: the columns are the engines by number.

    A cell is points, or points/games where not all pairs have met equally often.
    """
    counts = {cell.games for cell in table.cells.values()}
    per_pair = len(counts) == 1
    points = points_format([cell.points for cell in table.cells.values()])
    scored: defaultdict[str, list[float]] = defaultdict(list)
    for (name, _), cell in table.cells.items():
        scored[name].append(cell.points)

    def shown(name: str, opponent: str) -> str:
        cell = table.cells.get((name, opponent))
        if name == opponent or cell is None:
            return "*" if name == opponent else ""
        return format(cell.points, points) + ("" if per_pair else f"/{cell.games}")

    head = [("#", "engine", "total")] + [
        (str(number), name, format(fsum(scored[name]), points)) for number, name in enumerate(table.names, 1)
    ]
    columns = [
        (str(number), *(shown(name, opponent) for name in table.names))
        for number, opponent in enumerate(table.names, 1)
    ]
    return PagedTable(head, columns)
