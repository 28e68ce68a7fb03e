"""What the pages of served tournaments show, kept until a game is stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from arena.formats.format import FormatView, Plan, Played
from arena.ratings.lists import rating_list
from arena.store import Store
from arena.tables.standings import standings
from arena.tables.tournament_list import tournament_list
from arena.web.links import ServerLinks
from arena.web.pages.engine import EngineView
from arena.web.pages.games import RecentGames
from arena.web.pages.section import read_results
from arena.web.pages.standings import decisive_places
from arena.web.pages.tournament import TournamentCollector, TournamentView, tournament_facts, tournament_view
from arena.web.server.databases import ServedDatabase, ServedTournament

_REST: Final = 3.0
"""Pages of a running tournament cost at most a quarter of a processor: see `ServedDatabase.computed`."""


@dataclass(frozen=True, slots=True)
class ShownTournament:
    """What the pages of a tournament show."""

    view: TournamentView
    engines: Mapping[str, EngineView]


def coming_view(tournament: ServedTournament) -> TournamentView:
    """Return what the page of a tournament shows while its tables are computed for the first time."""
    row = tournament.row
    plan = Plan.stored(tournament.database.store.outline(tournament.name))
    facts = replace(
        tournament_facts(plan, {}, RecentGames(), over=row["finished"]),
        games=row["played"],
        engines=row["engines"] or 0,
    )
    events = ServerLinks(tournament.id).events()
    return TournamentView(tournament.name, (), facts, events=events, computing=True)


class ShownTournaments:
    """Reads each game of each tournament once, when somebody looks at a page."""

    def __init__(self) -> None:
        self._collected: dict[str, TournamentCollector] = {}

    def get(self, tournament: ServedTournament) -> ShownTournament:
        """Return what the pages of a tournament show. Blocks, for seconds if there are many games."""
        key, compute = self._value(tournament)
        return tournament.database.computed(key, compute, rest=_REST)

    def soon(self, tournament: ServedTournament, until: float) -> ShownTournament | None:
        """Return the newest value that is ready in time; see `ServedDatabase.soon`."""
        key, compute = self._value(tournament)
        return tournament.database.soon(key, compute, until=until, rest=_REST)

    def _value(self, tournament: ServedTournament) -> tuple[object, Callable[[Store], ShownTournament]]:
        return ("shown", tournament.name), lambda store: self._compute(store, tournament)

    def _compute(self, store: Store, tournament: ServedTournament) -> ShownTournament:
        name, links = tournament.name, ServerLinks(tournament.id)
        collected = self._collected.setdefault(tournament.id, TournamentCollector())
        collected.read_on(store, name)
        tallies = store.tally(tournament=name)
        found = [read_results(store, name, game, tally) for game, tally in tallies.items()]
        view = tournament_view(name, Plan.stored(store.outline(name)), found, collected, links)
        engines = {engine: collector.view() for engine, collector in collected.engines.items()}
        return ShownTournament(replace(view, events=links.events()), engines)


class Winners:
    """The winners of finished tournaments. Each is computed once, until it has other games."""

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
    tally = store.tally(tournament=tournament)[game]
    plan = Plan.stored(store.outline(tournament))
    played = Played(tally.total(), lambda: store.endings(tournament))
    view = FormatView() if plan is None else plan.view(game, played)
    table = standings(tally, view.order)
    ratings = (
        rating_list(store, game, store.tally(game=game)[game]).ratings if view.decided_by == "ratings" else {}
    )
    return tuple(name for place, name in decisive_places(view, table, ratings) if place == 1)
