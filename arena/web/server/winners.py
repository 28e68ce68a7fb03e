"""Who won the finished tournaments of a served database, kept until a tournament has other games."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from arena.ratings.lists import rating_list
from arena.store import Store
from arena.tables.format_tables import format_view
from arena.tables.standings import standings
from arena.tables.tournament_list import tournament_list
from arena.web.pages.standings import decisive_places
from arena.web.server.databases import ServedDatabase

__all__ = ["Winners"]

_REST: Final = 3.0
"""See `arena.web.server.databases.ServedDatabase.computed`."""


class Winners:
    """The winners of finished tournaments. Each tournament is computed once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, str, int], tuple[str, ...]] = {}

    def soon(self, database: ServedDatabase, until: float) -> Mapping[str, tuple[str, ...]]:
        """Return the winners by tournament, as far as they are known in time; see `ServedDatabase.soon`.

        A tournament with several game ids has none.
        """
        found = database.soon(
            "winners", lambda store: self._compute(database.number, store), until=until, rest=_REST
        )
        return found or {}

    def _compute(self, database: int, store: Store) -> dict[str, tuple[str, ...]]:
        found = {}
        for row in tournament_list(store):
            if not row["finished"] or not row["played"] or len(row["games"]) != 1:
                continue
            name, (game,) = row["tournament"], row["games"]
            key = database, name, row["played"]
            if key not in self._known:
                self._known[key] = _first(store, name, game)
            found[name] = self._known[key]
        return found


def _first(store: Store, tournament: str, game: str) -> tuple[str, ...]:
    view = format_view(store.outline(tournament), game, store.results(tournament=tournament, game=game))
    table = standings(store.tally(tournament=tournament)[game], view.order)
    ratings = (
        rating_list(store, game, store.tally(game=game)[game]).ratings if view.decided_by == "ratings" else {}
    )
    return tuple(name for place, name in decisive_places(view, table, ratings) if place == 1)
