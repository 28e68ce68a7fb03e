"""The crosstable: the score of each engine against each other one, as rows and as a table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import fsum
from typing import TypedDict

from arena.ended_games import GameScoreCounts
from arena.formats.format import StandingsOrder
from arena.model import GameResult
from arena.tables.standings import ORDER_NOTES, Versus, as_tally, points_format, standings, versus
from arena.tables.text_table import PagedTable

WIDEST = 100
"""The largest number of engines in a crosstable for people."""


@dataclass(frozen=True, slots=True)
class Crosstable:
    """The scores by (engine, opponent) of pairs that met, and the engines in the order of `standings`."""

    names: tuple[str, ...]
    cells: Mapping[tuple[str, str], Versus]
    order: StandingsOrder = "points"

    @property
    def headers(self) -> tuple[str, ...]:
        """The headers of the columns before those of the opponents."""
        return ("#", "engine", "total", *(("score",) if self.order == "score" else ()))

    @property
    def note(self) -> str:
        """The line below the table, which says how it is sorted."""
        return ORDER_NOTES[self.order]


class VersusRow(TypedDict):
    """The score of one engine against another."""

    points: float
    games: int


class CrosstableRow(TypedDict):
    """One engine's row of the crosstable. Opponents that it never met are missing."""

    engine: str
    against: dict[str, VersusRow]


def crosstable(games: Iterable[GameResult] | GameScoreCounts, order: StandingsOrder = "points") -> Crosstable:
    """Count the score of each engine against each other one.

    In a game of more than two players every pair counts: 1 for the better rank, 1/2 for the same one, 0 if
    both forfeited. So the sum of a row equals the points in the standings only in games of two players.
    """
    counts = as_tally(games)
    return Crosstable(tuple(standing.name for standing in standings(counts, order)), versus(counts), order)


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
    """Return the crosstable with numbered columns; its cells are points/games if pairs differ in games."""
    counts = {cell.games for cell in table.cells.values()}
    per_pair = len(counts) == 1
    points = points_format([cell.points for cell in table.cells.values()])
    rows: defaultdict[str, list[Versus]] = defaultdict(list)
    for (name, _), cell in table.cells.items():
        rows[name].append(cell)

    def cell_text(name: str, opponent: str) -> str:
        cell = table.cells.get((name, opponent))
        if name == opponent or cell is None:
            return "*" if name == opponent else ""
        return format(cell.points, points) + ("" if per_pair else f"/{cell.games}")

    def sums(name: str) -> tuple[str, ...]:
        total = fsum(cell.points for cell in rows[name])
        games = sum(cell.games for cell in rows[name])
        score = (f"{total / games:.1%}" if games else "",) if table.order == "score" else ()
        return format(total, points), *score

    head = [table.headers] + [(str(number), name, *sums(name)) for number, name in enumerate(table.names, 1)]
    columns = [
        (str(number), *(cell_text(name, opponent) for name in table.names))
        for number, opponent in enumerate(table.names, 1)
    ]
    return PagedTable(head, columns)
