"""Places: the order of the engines, by what decides their tournament, and who leads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from arena.formats.format import FormatView, Played
from arena.formats.plan import Plan
from arena.ratings.lists import RatingList
from arena.scoring import GameScoreCounts, versus
from arena.store import Store
from arena.tables.crosstable import Crosstable
from arena.tables.ratings import RANKING_NOTES, ranking_rows
from arena.tables.standings import ORDER_NOTES, Standing, shared_places, standings


class Placed(NamedTuple):
    """An engine and its place, in its group if ratings decide and several groups never met, else None."""

    place: int
    name: str
    group: int | None = None  # from 1; None also for an engine that is not rated


def leaders(places: Sequence[Placed]) -> tuple[str, ...]:
    """Return the engines in the first place of the first group, among those that have played."""
    return tuple(
        placed.name for placed in places if (placed.place, placed.group) == (places[0].place, places[0].group)
    )


def stored_standings(store: Store, tournament: str, game: str) -> tuple[FormatView, tuple[Standing, ...]]:
    """Return what decides a stored tournament, and the standings of one of its game ids."""
    tally = store.tally(tournament=tournament, game=game)[game]
    plan = Plan.stored(store.outline(tournament))
    view = FormatView()
    if plan is not None:
        view = plan.view(game, Played(tally.total(), lambda: plan.games(store, tournament)))
    return view, standings(tally, view.order)


def decisive_places(
    format_: FormatView, standings: Sequence[Standing], rated: RatingList | None
) -> list[Placed]:
    """Return the places of the engines, the best first, by what decides the format; ratings need the list.

    Engines that are equal in everything but their names share a place, and so do engines that lost in the
    same round of a knock-out.
    """
    names = {standing.name: standing for standing in standings}
    if format_.places:
        order = [Placed(place, name) for place, name in format_.places if name in names]
    elif format_.decided_by == "ratings" and rated is not None:
        rows = ranking_rows(standings, rated.ratings, groups=rated.groups().among(names))
        order = [Placed(row["rank"], row["engine"], row["group"]) for row in rows if row["mu"] is not None]
    else:
        shared = shared_places(standings, format_.order)
        return [Placed(place, standing.name) for place, standing in zip(shared, standings, strict=True)]
    ordered = {placed.name for placed in order}
    last = len(format_.places or order) + 1 if not order or order[-1].group is None else 1
    return order + [Placed(last, name) for name in names if name not in ordered]


def order_note(format_: FormatView) -> str:
    """Return what decides, in a line below a table."""
    if format_.note:
        return format_.note
    return RANKING_NOTES["trueskill"] if format_.decided_by == "ratings" else ORDER_NOTES[format_.order]


def decisive_crosstable(format_: FormatView, counts: GameScoreCounts, rated: RatingList | None) -> Crosstable:
    """Return the crosstable in the order of the places; see `decisive_places`."""
    places = decisive_places(format_, standings(counts, format_.order), rated)
    names = tuple(placed.name for placed in places)
    return Crosstable(names, versus(counts), format_.order, order_note(format_))
