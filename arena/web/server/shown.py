"""What the pages of served tournaments show, kept until a game is stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from arena.config.pairing_plan import stored_plan
from arena.store import Store
from arena.web.links import ServerLinks
from arena.web.pages.engine import EngineView
from arena.web.pages.games import RecentGames
from arena.web.pages.section import read_results
from arena.web.pages.tournament import (
    TournamentCollector,
    TournamentView,
    tournament_facts,
    tournament_view,
)
from arena.web.server.databases import ServedTournament

_REST = 3.0
"""Pages of a running tournament cost at most a quarter of a processor: see `ServedDatabase.computed`."""


@dataclass(frozen=True, slots=True)
class ShownTournament:
    """What the pages of a tournament show."""

    view: TournamentView
    engines: Mapping[str, EngineView]


def coming_view(tournament: ServedTournament) -> TournamentView:
    """Return what the page of a tournament shows while its tables are computed for the first time."""
    row = tournament.row
    plan = stored_plan(tournament.database.store.outline(tournament.name))
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
        view = tournament_view(name, stored_plan(store.outline(name)), found, collected, links)
        engines = {engine: collector.view() for engine, collector in collected.engines.items()}
        return ShownTournament(replace(view, events=links.events()), engines)
