"""The ranking: standings with ratings, as rows for programs and as a table for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypedDict

from arena.ratings.lists import PlayGroups
from arena.ratings.trueskill import Rating
from arena.tables.standings import ORDER_NOTES, Standing, points_format
from arena.tables.text_table import TextTable
from protocol.plurals import counted
from protocol.printable import printable

__all__ = [
    "RANKING_NOTES",
    "RankingOrder",
    "RankingRow",
    "groups_note",
    "place_cell",
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

_MOST: Final = 8
"""The most groups, and the most names of a group, in a warning."""


class RankingRow(TypedDict):
    """One engine in the ranking. The rating is null for an engine without a rated game.

    If there are several groups of engines that never played each other, ``group`` is the number of the
    engine's group, from 1, and ``rank`` is its place in the group.
    """

    rank: int
    group: int | None
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
    groups: PlayGroups = PlayGroups(),  # noqa: B008 - it is frozen
) -> list[RankingRow]:
    """Join standings and ratings, and sort them.

    Args:
        standings: the standings by points. Engines without a rating come last, in this order.
        ratings: the engines that have a rated game.
        order: what decides.
        by_elo: these engines sorted by Elo, the best first; needed only for this order.
        groups: the groups that played each other. Each is ranked by itself, except by points.
    """
    names = [standing.name for standing in standings]
    rated = [name for name in names if name in ratings]
    best_first: dict[RankingOrder, Sequence[str]] = {
        "trueskill": sorted(rated, key=lambda name: -ratings[name].conservative),
        "elo": by_elo,
        "points": names,
    }
    places = {name: place for place, name in enumerate(best_first[order])}
    group_of = groups.index() if order != "points" and len(groups.groups) > 1 else {}
    last = len(groups.groups), len(places)
    ranked = sorted(
        standings, key=lambda row: (group_of.get(row.name, last[0]), places.get(row.name, last[1]))
    )
    rows: list[RankingRow] = []
    before: Counter[int | None] = Counter()
    for place, standing in enumerate(ranked, 1):
        rating = ratings.get(standing.name)
        group = group_of.get(standing.name)
        before[group] += 1
        rows.append(
            RankingRow(
                rank=place if group is None else before[group],
                group=None if group is None else group + 1,
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
                place_cell(row),
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


def place_cell(row: RankingRow) -> str:
    """Return the rank; with several groups the number of the group and the rank in it, as in 2.1."""
    return str(row["rank"]) if row["group"] is None else f"{row['group']}.{row['rank']}"


def groups_note(groups: PlayGroups) -> str:
    """Return a warning if there are several groups of engines that never played each other, else ""."""
    if len(groups.groups) < 2:
        return ""
    shown = "; ".join(f"{number}: {_some(group)}" for number, group in enumerate(groups.groups[:_MOST], 1))
    more = len(groups.groups) - _MOST
    left = f"; and {counted(more, 'other group')}" if more > 0 else ""
    joined = "".join(
        f" Groups {_some([str(place + 1) for place in one])} met in forfeited games only."
        for one in groups.by_forfeits[:_MOST]
    )
    return (
        f"Warning: {len(groups.groups)} groups of engines did not play each other, so their ratings cannot be"
        f" compared; each is ranked by itself: {shown}{left}.{joined}"
    )


def _some(names: Sequence[str]) -> str:
    more = len(names) - _MOST
    return ", ".join(map(printable, names[:_MOST])) + (f" and {counted(more, 'other')}" if more > 0 else "")


def trueskill_cells(row: RankingRow) -> tuple[str, str, str]:
    """Return mu, sigma and mu-3sigma; they are empty for an engine without a rated game."""
    return _rating(row["mu"]), _rating(row["sigma"]), _rating(row["conservative"])


def record_cell(row: RankingRow) -> str:
    """Return the numbers of games won, drawn and lost."""
    return f"{row['wins']}-{row['draws']}-{row['losses']}"


def _rating(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
