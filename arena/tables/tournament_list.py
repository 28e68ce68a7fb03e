"""The tournaments of a database, in rows."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, TypedDict

from arena.formats.format import Plan, Played

if TYPE_CHECKING:
    from arena.store import Store
    from arena.store.values import TournamentInfo

__all__ = ["TournamentRow", "tournament_list"]


class TournamentRow(TypedDict):
    """A tournament, as `arena tournaments --json` prints it; None or empty for what is not known."""

    tournament: str
    begun: float  # seconds since the epoch
    format: str | None
    games: list[str]  # the ids
    engines: int | None
    played: int  # games that count
    total: int | None  # None also if results decide it
    finished: bool | None  # whether nothing is left to play


def tournament_list(store: Store) -> list[TournamentRow]:
    """Return the tournaments in the order in which they came into the database."""
    rows: list[TournamentRow] = []
    for info in store.tournaments():
        plan = Plan.stored(store.outline(info.name))
        rows.append(
            {
                "tournament": info.name,
                "begun": info.created,
                "format": None if plan is None else plan.format.name,
                "games": [] if plan is None else list(plan.names),
                "engines": None if plan is None else len({*chain(*plan.names.values())}),
                "played": info.games,
                "total": None if plan is None else plan.total,
                "finished": None if plan is None else _finished(store, info, plan),
            }
        )
    return rows


def _finished(store: Store, info: TournamentInfo, plan: Plan) -> bool | None:
    counts = (
        {game: tally.total() for game, tally in store.tally(tournament=info.name).items()}
        if len(plan.names) > 1
        else dict.fromkeys(plan.names, info.games)
    )
    return plan.finished(
        lambda game: plan.is_over(game, Played(counts.get(game, 0), lambda: store.endings(info.name)))
    )
