"""What the pages of served tournaments show, kept until a game is stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
from arena.web.views.facts import tournament_facts
from arena.web.views.results import RecentGames

__all__ = ["ShownTournament", "ShownTournaments", "coming_view"]

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
    return TournamentView(tournament.name, "", (), facts, None, events, computing=True)


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
