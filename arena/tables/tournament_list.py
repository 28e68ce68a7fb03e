"""The tournaments of a database, in rows."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, TypedDict

from arena.config import PairingPlan, stored_plan
from arena.formats.schedule import planned_games
from arena.tables.format_tables import format_view

if TYPE_CHECKING:
    from arena.store import Store
    from arena.store.values import TournamentInfo

__all__ = ["TournamentRow", "tournament_list"]


class TournamentRow(TypedDict):
    """A tournament, as `arena tournaments --json` prints it.

    Attributes:
        tournament: its name.
        begun: when it began, in seconds since the epoch.
        format: its format; None if an older version of arena stored it.
        games: its game ids; empty if they are not known.
        engines: the number of its engines; None if it is not known.
        played: the number of games that count.
        total: the number of its games; None if results decide it, or if it is not known.
        finished: whether nothing is left to play.
    """

    tournament: str
    begun: float
    format: str | None
    games: list[str]
    engines: int | None
    played: int
    total: int | None
    finished: bool


def tournament_list(store: Store) -> list[TournamentRow]:
    """Return the tournaments in the order in which they came into the database."""
    rows: list[TournamentRow] = []
    for info in store.tournaments():
        plan = stored_plan(store.outline(info.name))
        rows.append(
            {
                "tournament": info.name,
                "begun": info.created,
                "format": None if plan is None else plan.format,
                "games": [] if plan is None else list(plan.entrants),
                "engines": None if plan is None else len({*chain(*plan.entrants.values())}),
                "played": info.games,
                "total": None if plan is None else planned_games(plan),
                "finished": plan is not None and _finished(store, info, plan),
            }
        )
    return rows


def _finished(store: Store, info: TournamentInfo, plan: PairingPlan) -> bool:
    total = planned_games(plan)
    if total is not None or plan.format not in ("knockout", "match"):
        return total is not None and info.games >= total
    if plan.max_games is not None and info.games >= plan.max_games * len(plan.entrants):
        return True
    outline, endings = store.outline(info.name), store.endings(info.name)
    return all(format_view(outline, game_id, endings).decided for game_id in plan.entrants)
