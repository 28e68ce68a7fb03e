"""The ranking: standings with ratings, as rows for programs and as a table for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

from arena.ratings import Rating
from arena.tables.standings import Standing, points_format
from arena.tables.text_table import TextTable

__all__ = [
    "ELO_NOTE",
    "RANKING_NOTE",
    "RankingRow",
    "ranking_rows",
    "ranking_table",
    "record_cell",
    "trueskill_cells",
]

RANKING_NOTE = (
    "Order: mu-3sigma; engines without a rated game come last, by points, wins, Sonneborn-Berger, name."
)

ELO_NOTE = "Order: Elo, then name; engines without a rated game come last."


class RankingRow(TypedDict):
    """One engine in the ranking. The rating is null for an engine without a rated game."""

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
    unplayed: int


def ranking_rows(standings: Sequence[Standing], ratings: Mapping[str, Rating]) -> list[RankingRow]:
    """Join standings and ratings, sorted by mu-3sigma.

    Engines without a rating come last, in the order of ``standings``.
    """
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
                unplayed=standing.unplayed,
            )
        )
    return rows


def ranking_table(rows: Sequence[RankingRow]) -> TextTable:
    """Return the ranking as a table. Names of 20 characters fit into 80 columns."""
    points = points_format([row["points"] for row in rows])
    return TextTable(
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


def trueskill_cells(row: RankingRow) -> tuple[str, str, str]:
    """Return mu, sigma and mu-3sigma; they are empty for an engine without a rated game."""
    return _rating(row["mu"]), _rating(row["sigma"]), _rating(row["conservative"])


def record_cell(row: RankingRow) -> str:
    """Return the numbers of games won, drawn and lost."""
    return f"{row['wins']}-{row['draws']}-{row['losses']}"


def _rating(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
