"""The ranking: standings with ratings, as rows for programs and as a table for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

from arena.ratings import Rating
from arena.tables.standings import ORDER_NOTES, Standing, points_format
from arena.tables.text_table import TextTable

__all__ = [
    "RANKING_NOTES",
    "RankingOrder",
    "RankingRow",
    "ranking_rows",
    "ranking_table",
    "record_cell",
    "trueskill_cells",
]

RankingOrder = Literal["trueskill", "elo", "points"]
"""How a ranking is sorted: by mu-3sigma, by the Elo of the fit, or by points."""

_UNRATED_LAST = "engines without a rated game come last, by points, wins, Sonneborn-Berger, name."

RANKING_NOTES: dict[RankingOrder, str] = {
    "trueskill": f"Order: mu-3sigma; {_UNRATED_LAST}",
    "elo": f"Order: Elo, then name; {_UNRATED_LAST}",
    "points": ORDER_NOTES["points"],
}
"""What decides, in a line below a table."""


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


def ranking_rows(
    standings: Sequence[Standing],
    ratings: Mapping[str, Rating],
    order: RankingOrder = "trueskill",
    by_elo: Sequence[str] = (),
) -> list[RankingRow]:
    """Join standings and ratings, and sort them.

    Args:
        standings: the standings by points. Engines without a rating come last, in this order.
        ratings: the engines that have a rated game.
        order: what decides.
        by_elo: these engines sorted by Elo, the best first; needed only for this order.
    """
    names = [standing.name for standing in standings]
    rated = [name for name in names if name in ratings]
    best_first: dict[RankingOrder, Sequence[str]] = {
        "trueskill": sorted(rated, key=lambda name: -ratings[name].conservative),
        "elo": by_elo,
        "points": names,
    }
    places = {name: place for place, name in enumerate(best_first[order])}
    ranked = sorted(standings, key=lambda row: places.get(row.name, len(places)))
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
