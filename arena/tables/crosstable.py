"""The crosstable: the score of each engine against each other one, as rows and as a table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import fsum
from typing import TypedDict

from arena.ended_games import GameScoreCounts
from arena.model import GameResult
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
"""The largest number of engines in a crosstable for people."""


@dataclass(frozen=True, slots=True)
class Crosstable:
    """The score of each engine against each other engine.

    Attributes:
        names: the engines in the order of `standings`.
        cells: the score for each (engine, opponent); a pair that never met is missing.
    """

    names: tuple[str, ...]
    cells: Mapping[tuple[str, str], Versus]


class VersusRow(TypedDict):
    """The score of one engine against another."""

    points: float
    games: int


class CrosstableRow(TypedDict):
    """One engine's row of the crosstable. Opponents that it never met are missing."""

    engine: str
    against: dict[str, VersusRow]


def crosstable(games: Iterable[GameResult] | GameScoreCounts) -> Crosstable:
    """Count the score of each engine against each other one.

    A game of more than two players counts once for every pair of its players: 1 for the better rank, 1/2 for
    the same rank. So the sum of a row equals the points in the standings only in games of two players. Two
    seats that have the same rank because both forfeited get 0.
    """
    counts = as_tally(games)
    return Crosstable(tuple(standing.name for standing in standings(counts)), versus(counts))


def crosstable_rows(table: Crosstable) -> list[CrosstableRow]:
    """Return the rows of the crosstable, the best engine first."""
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
    """Return the crosstable with a numbered column for each engine.

    A cell has points, or points/games if some pairs have played more games than others.
    """
    counts = {cell.games for cell in table.cells.values()}
    per_pair = len(counts) == 1
    points = points_format([cell.points for cell in table.cells.values()])
    row_points: defaultdict[str, list[float]] = defaultdict(list)
    for (name, _), cell in table.cells.items():
        row_points[name].append(cell.points)

    def cell_text(name: str, opponent: str) -> str:
        cell = table.cells.get((name, opponent))
        if name == opponent or cell is None:
            return "*" if name == opponent else ""
        return format(cell.points, points) + ("" if per_pair else f"/{cell.games}")

    head = [("#", "engine", "total")] + [
        (str(number), name, format(fsum(row_points[name]), points))
        for number, name in enumerate(table.names, 1)
    ]
    columns = [
        (str(number), *(cell_text(name, opponent) for name in table.names))
        for number, opponent in enumerate(table.names, 1)
    ]
    return PagedTable(head, columns)
