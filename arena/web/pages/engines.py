"""The page of all engines: the rating lists of the databases, over all tournaments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.model import game_title
from arena.ratings.lists import elo_fit, rating_list
from arena.ratings.trueskill import RatingSample, history
from arena.store import ALL_GAMES, REMOTE_GAMES, GameFilter, Store
from arena.tables.ratings import RANKING_NOTES, ranking_rows
from arena.tables.standings import standings
from arena.tables.text_table import in_groups
from arena.web.figures import number, signed
from arena.web.links import Links
from arena.web.pages.engine import EngineRating
from arena.web.pages.section import history_plot
from arena.web.templating import page


@dataclass(frozen=True, slots=True)
class RatedEngine:
    """An engine in a rating list."""

    place: int  # in its group
    group: int | None
    name: str
    elo: str  # or mu; "" without a rated game
    error: str
    rating: str  # "" without a rated game
    games: int
    record: str  # won, drawn and lost


@dataclass(frozen=True, slots=True)
class ListedEngines:
    """A rating list of a database."""

    game: str
    remote: bool
    scale: str  # "Elo", or "mu" if nothing can be fitted
    engines: Sequence[RatedEngine]
    samples: Sequence[RatingSample]  # the history of the ratings

    @property
    def title(self) -> str:
        """What the list is about."""
        return f"{game_title(self.game)}, remote bots" if self.remote else game_title(self.game)

    def rating_of(self, name: str) -> EngineRating | None:
        """Return the rating of an engine with its course over all tournaments; None if it is not listed."""
        found = next((one for one in self.engines if one.name == name), None)
        if found is None:
            return None
        plot = history_plot(self.game, self.samples, [name])
        beside = sum(one.group == found.group for one in self.engines)
        return EngineRating(self.title, self.scale, found.elo, found.error, found.place, beside, plot)


def listed_engines(store: Store) -> list[ListedEngines]:
    """Return the rating lists of a database. Blocks, for seconds if there are many games."""
    return [
        _listed(store, game, only) for only in (ALL_GAMES, REMOTE_GAMES) for game in store.tally(only=only)
    ]


def _listed(store: Store, game: str, only: GameFilter) -> ListedEngines:
    tally = store.tally(game=game, only=only)[game]
    rated = rating_list(store, game, tally, only)
    fit = elo_fit(store, rated, only)
    elo = {} if fit is None else {one.name: (one.elo, one.error) for one in fit.strengths}
    engines = []
    for row in ranking_rows(standings(tally), rated.ratings, groups=rated.groups()):
        name = row["engine"]
        strength, error = elo.get(name, (None, 0.0))
        mu = row["mu"] if fit is None else None
        engines.append(
            RatedEngine(
                row["rank"],
                row["group"],
                name,
                signed(strength) if strength is not None else "" if mu is None else number(mu),
                f"{error:.0f}" if strength is not None else "",
                "" if row["conservative"] is None else number(row["conservative"]),
                row["games"],
                f"{row['wins']}-{row['draws']}-{row['losses']}",
            )
        )
    samples = history([one.outcome for one in store.rating_lists.scored(game, only=only)], rated.model)
    return ListedEngines(game, only.remote, "mu" if fit is None else "Elo", engines, samples)


@dataclass(frozen=True, slots=True)
class EnginesPart:
    """A part of a rating list on the page."""

    listed: ListedEngines
    database: str  # "" if there is one
    beside: str  # the id of a tournament of the database; "" if there is one database
    first: int  # the place of the first line in the list, from 0
    lines: Sequence[RatedEngine]
    more: str  # the address of the part after it; "" if there is none

    @property
    def sections(self) -> list[tuple[str, list[RatedEngine]]]:
        """The engines under the headings of their groups."""
        return in_groups([one.group for one in self.lines], self.lines)


def engines_page(parts: Sequence[EnginesPart], links: Links, *, computing: bool) -> str:
    """Return the page."""
    values = {"parts": parts, "computing": computing, "note": RANKING_NOTES["trueskill"]}
    return page("engines.html.j2", links=links, place="engines", tournament="", **values)
