"""What the pages of served tournaments show, kept until a game is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from arena.config.pairing_plan import stored_plan
from arena.store import Store
from arena.web.index_section import IndexSection, ratings_of
from arena.web.pages.engine import EngineRating
from arena.web.pages.tournament import TournamentView
from arena.web.server.databases import ServedTournament
from arena.web.server.links import ServerLinks
from arena.web.tournament_collector import TournamentCollector
from arena.web.tournament_view import read_section, tournament_view
from arena.web.views.engine import EngineView

__all__ = ["ShownTournament", "ShownTournaments"]

_REST = 3.0
"""Pages of a running tournament cost at most a quarter of a processor: see `ServedDatabase.computed`."""


@dataclass(frozen=True, slots=True)
class ShownTournament:
    """What the pages of a tournament show.

    Attributes:
        view: the page of the tournament.
        engines: what each engine did, by name.
        sections: the results of each game id.
    """

    view: TournamentView
    engines: Mapping[str, EngineView]
    sections: tuple[IndexSection, ...]

    def ratings(self, engine: str) -> dict[str, EngineRating]:
        """Return the ratings of an engine by game id."""
        return ratings_of(engine, self.sections, self.view.sections)


class ShownTournaments:
    """Reads each game of each tournament once, when somebody looks at a page."""

    def __init__(self) -> None:
        self._collected: dict[str, TournamentCollector] = {}

    def get(self, tournament: ServedTournament) -> ShownTournament:
        """Return what the pages of a tournament show. Blocks."""

        def compute(store: Store) -> ShownTournament:
            return self._compute(store, tournament)

        return tournament.database.computed(("shown", tournament.name), compute, rest=_REST)

    def _compute(self, store: Store, tournament: ServedTournament) -> ShownTournament:
        name = tournament.name
        collected = self._collected.setdefault(tournament.id, TournamentCollector())
        collected.read_on(store, name)
        tallies = store.tally(tournament=name)
        sections = tuple(read_section(store, name, game, tally) for game, tally in tallies.items())
        plan = stored_plan(store.outline(name))
        view = tournament_view(name, plan, sections, collected, ServerLinks(tournament.id))
        engines = {engine: collector.view() for engine, collector in collected.engines.items()}
        events = ServerLinks(tournament.id).events()
        return ShownTournament(replace(view, events=events), engines, sections)
