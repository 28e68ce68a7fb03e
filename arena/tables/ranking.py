"""Standings, ratings and crosstable: as rows for programs, and as tables for people."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import TypedDict

from arena.ratings import Rating
from arena.tables.grid import Grid, Paged
from arena.tables.standings import Crosstable, Standing

__all__ = [
    "CROSSTABLE_NOTE",
    "ELO_NOTE",
    "POINTS_NOTE",
    "RANKING_NOTE",
    "WIDEST",
    "CrosstableRow",
    "RankingRow",
    "crosstable_rows",
    "crosstable_view",
    "points_format",
    "points_table",
    "ranking_rows",
    "ranking_table",
    "record_cell",
    "trueskill_cells",
]

RANKING_NOTE = (
    "Order: mu-3sigma; engines without a rated game come last, by points, wins, Sonneborn-Berger, name."
)

CROSSTABLE_NOTE = (
    "Order: points, wins, Sonneborn-Berger (points against each opponent times that opponent's points), name."
)

ELO_NOTE = "Order: Elo, then name; engines without a rated game come last."

POINTS_NOTE = "Order: points, wins, Sonneborn-Berger, name. Score: points a game."

WIDEST = 100
"""Engines in a crosstable that people look at."""


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
    points = points_format([row["points"] for row in rows])
    return Grid(
        ("#", "engine", "mu", "sigma", "mu-3sigma", "games", "W-D-L", "points", "forfeits"),
        tuple(
            (
                str(row["rank"]),
                row["engine"],
                *trueskill_cells(row),
                str(row["games"]),
                record_cell(row),
                format(row["points"], points),
                str(row["forfeits"] or ""),
            )
            for row in rows
        ),
    )


def points_table(table: Sequence[Standing]) -> Grid:
    """Points without ratings, for games that have no rating in common."""
    points = points_format([standing.points for standing in table])
    return Grid(
        ("#", "engine", "games", "W-D-L", "points", "score", "forfeits"),
        tuple(
            (
                str(place),
                standing.name,
                str(standing.games),
                f"{standing.wins}-{standing.draws}-{standing.losses}",
                format(standing.points, points),
                f"{standing.points / standing.games:.1%}",
                str(standing.forfeits or ""),
            )
            for place, standing in enumerate(table, 1)
        ),
    )


def trueskill_cells(row: RankingRow) -> tuple[str, str, str]:
    """mu, sigma and mu-3sigma; empty for an engine without a rated game."""
    return _rating(row["mu"]), _rating(row["sigma"]), _rating(row["conservative"])


def record_cell(row: RankingRow) -> str:
    """Games won, drawn and lost."""
    return f"{row['wins']}-{row['draws']}-{row['losses']}"


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


def crosstable_view(table: Crosstable) -> Paged:
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
    return Paged(head, columns)


def points_format(values: Iterable[float]) -> str:
    """As few decimals as all values need, two at most: halves among two players, thirds among four."""
    known = list(values)
    for decimals in (0, 1):
        if all(abs(value - round(value, decimals)) < 0.001 for value in known):
            return f".{decimals}f"
    return ".2f"


def _rating(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
