"""Standings, ratings and crosstable: as rows for programs, and as tables for people."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import fsum
from typing import TypedDict

from rich.console import Console, ConsoleOptions, RenderResult

from arena.ratings import Rating
from arena.report.grid import Grid, columns_that_fit
from arena.standings import Crosstable, Standing

__all__ = [
    "CrosstableRow",
    "CrosstableView",
    "RankingRow",
    "crosstable_rows",
    "ranking_rows",
    "ranking_table",
]


class RankingRow(TypedDict):
    """One engine in the ranking; the rating is null for an engine without a rated game."""

    rank: int
    engine: str
    mu: float | None
    sigma: float | None
    conservative: float | None
    games: int
    wins: int
    draws: int
    losses: int
    points: float
    forfeits: int


class VersusRow(TypedDict):
    """What one engine scored against another."""

    points: float
    games: int


class CrosstableRow(TypedDict):
    """One engine's line of the crosstable; opponents that it never met are missing."""

    engine: str
    against: dict[str, VersusRow]


def ranking_rows(standings: Sequence[Standing], ratings: Mapping[str, Rating]) -> list[RankingRow]:
    """Standings and ratings together, by conservative rating; who has none comes last, in the given order."""
    ranked = sorted(
        standings,
        key=lambda row: -ratings[row.name].conservative if row.name in ratings else float("inf"),
    )
    rows = []
    for rank, standing in enumerate(ranked, 1):
        rating = ratings.get(standing.name)
        rows.append(
            RankingRow(
                rank=rank,
                engine=standing.name,
                mu=None if rating is None else rating.mu,
                sigma=None if rating is None else rating.sigma,
                conservative=None if rating is None else rating.conservative,
                games=standing.games,
                wins=standing.wins,
                draws=standing.draws,
                losses=standing.losses,
                points=standing.points,
                forfeits=standing.forfeits,
            )
        )
    return rows


def ranking_table(rows: Sequence[RankingRow]) -> Grid:
    """The ranking as a table; six engines with names of 20 characters fit into 80 columns."""
    points = _points_format([row["points"] for row in rows])
    return Grid(
        ("#", "engine", "mu", "sigma", "mu-3sigma", "games", "W-D-L", "points", "forfeits"),
        tuple(
            (
                str(row["rank"]),
                row["engine"],
                _rating(row["mu"]),
                _rating(row["sigma"]),
                _rating(row["conservative"]),
                str(row["games"]),
                f"{row['wins']}-{row['draws']}-{row['losses']}",
                format(row["points"], points),
                str(row["forfeits"] or ""),
            )
            for row in rows
        ),
    )


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


class CrosstableView:
    """The crosstable as a table: the columns are the engines by number, in several parts if need be.

    A cell is points, or points/games where not all pairs have met equally often.
    """

    __slots__ = ("_columns", "_head", "_per_pair")

    def __init__(self, table: Crosstable) -> None:
        counts = {cell.games for cell in table.cells.values()}
        self._per_pair = counts.pop() if len(counts) == 1 else None
        points = _points_format([cell.points for cell in table.cells.values()])
        scored: defaultdict[str, list[float]] = defaultdict(list)
        for (name, _), cell in table.cells.items():
            scored[name].append(cell.points)
        self._head = [("#", "engine", "total")] + [
            (str(number), name, format(fsum(scored[name]), points))
            for number, name in enumerate(table.names, 1)
        ]
        self._columns = [
            (str(number), *(self._cell(table, name, opponent, points) for name in table.names))
            for number, opponent in enumerate(table.names, 1)
        ]

    def _cell(self, table: Crosstable, name: str, opponent: str, points: str) -> str:
        if name == opponent:
            return "*"
        cell = table.cells.get((name, opponent))
        if cell is None:
            return ""
        return format(cell.points, points) + ("" if self._per_pair else f"/{cell.games}")

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if not self._columns:
            return
        step = columns_that_fit(self._head, self._columns, options.max_width)
        for first in range(0, len(self._columns), step):
            if first:
                yield ""
            rows = [
                (*head, *cells)
                for head, *cells in zip(self._head, *self._columns[first : first + step], strict=True)
            ]
            yield Grid(rows[0], tuple(rows[1:]))


def _points_format(values: Sequence[float]) -> str:
    """As few decimals as all values need, two at most: halves among two players, thirds among four."""
    for decimals in (0, 1):
        if all(abs(value - round(value, decimals)) < 0.001 for value in values):
            return f".{decimals}f"
    return ".2f"


def _rating(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
