"""The tournaments of a database, in rows."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, TypedDict

from arena.config import stored_plan

if TYPE_CHECKING:
    from arena.store import Store

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
    """

    tournament: str
    begun: float
    format: str | None
    games: list[str]
    engines: int | None
    played: int


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
            }
        )
    return rows
