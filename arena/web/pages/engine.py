"""The pages of engines: of one, with its results and faults, and of all, with the rating lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

from arena.formats.format import FormatView
from arena.model import GameRecord, game_title
from arena.ratings.lists import elo_fit, rating_list
from arena.ratings.trueskill import RatingSample, history
from arena.scoring import GameScoreCounts, fault_of
from arena.store import ALL_GAMES, REMOTE_GAMES, GameFilter, GameSearch, Store
from arena.tables.standings import standings
from arena.tables.text_table import in_groups
from arena.web.pages.games import FEED_LENGTH, GameLine, RecentGames, game_line
from arena.web.pages.scores import Scores, scores_of
from arena.web.pages.section import EngineRating, engine_rating
from arena.web.pages.standings import Ranking, RankingLine, ranking
from referee.ply import RANDOM

_FAULTS_SHOWN = 100
_GAMES_SEARCHED = 1000
"""The most games in which forgiven faults are counted."""


@dataclass(frozen=True, slots=True)
class FaultLine:
    """A fault: the game, the ply after which it happened, the kind, and the referee's sentence."""

    number: int
    ply: int
    tournament: str
    game: str
    kind: str
    detail: str


@dataclass(frozen=True, slots=True)
class EngineView:
    """What an engine did, in one tournament or in all of a database."""

    name: str
    tournament: str | None
    versions: tuple[str, ...]  # in the order of their first games
    first: float | None  # the start of its first game, in seconds since the epoch
    games: Sequence[Scores]
    faults: Sequence[FaultLine]  # the newest first
    forgiven_count: int
    recent: Sequence[tuple[str, GameLine]]  # its last games, the newest first, each with its tournament

    @property
    def forfeit_count(self) -> int:
        """The games that it forfeited."""
        return sum(scores.total.forfeits for scores in self.games)


def engine_view(store: Store, name: str, tournament: str | None, game: str | None = None) -> EngineView:
    """Return what an engine did, in one game id if it is given. Blocks."""
    search = GameSearch(tournament, game, engines=(name,))
    faults, forgiven = _faults(name, store.finder.faulty(search, _GAMES_SEARCHED))
    versions = store.finder.versions(search)
    return EngineView(
        name,
        tournament,
        tuple(version for version, _ in versions if version),
        min((started for _, started in versions), default=None),
        scores_of(name, store.finder.meetings(search)),
        faults[:_FAULTS_SHOWN],
        forgiven,
        [(record.result.tournament, game_line(record)) for record in store.finder.find(search, FEED_LENGTH)],
    )


def _faults(name: str, games: Sequence[GameRecord]) -> tuple[list[FaultLine], int]:
    """Return the faults of an engine in some games, and how many of them were forgiven."""
    lines: list[FaultLine] = []
    forgiven = 0
    for record in games:
        result = record.result
        for seat, player in enumerate(result.players):
            if player.name != name:
                continue
            faults = [
                (number, "forgiven", ply.text[1:])
                for number, ply in enumerate(record.record, 1)
                if ply.seat == seat and ply.fault and ply.fault != RANDOM
            ]
            forgiven += len(faults)
            if player.forfeit is not None and player.forfeit.is_fault and result.counts:
                faults.append((len(record.record), player.forfeit.value, fault_of(result.detail, seat)))
            lines += [
                FaultLine(result.id or 0, ply, result.tournament, result.game, kind, detail)
                for ply, kind, detail in faults
            ]
    return lines, forgiven


class Upset(NamedTuple):
    """An engine won a game in which a stronger one lost without a fault."""

    elo: float  # by which the loser is stronger
    winner: str
    loser: str
    game: str


@dataclass(frozen=True, slots=True)
class ListedEngines:
    """A rating list of a database."""

    game: str
    remote: bool
    scale: str  # "Elo", or "mu" if nothing can be fitted
    ranking: Ranking
    samples: Sequence[RatingSample]  # the history of the ratings
    upset: Upset | None  # the greatest one

    @property
    def title(self) -> str:
        """What the list is about."""
        return f"{game_title(self.game)}, remote bots" if self.remote else game_title(self.game)

    def rating_of(self, name: str) -> EngineRating | None:
        """Return the rating of an engine with its course over all tournaments; None if it is not listed."""
        return engine_rating(name, self.title, self.scale, self.game, self.ranking, self.samples)


def listed_engines(store: Store) -> list[ListedEngines]:
    """Return the rating lists of a database. Blocks, for seconds if there are many games."""
    return [
        _listed(store, game, only) for only in (ALL_GAMES, REMOTE_GAMES) for game in store.tally(only=only)
    ]


def _listed(store: Store, game: str, only: GameFilter) -> ListedEngines:
    tally = store.tally(game=game, only=only)[game]
    rated = rating_list(store, game, tally, only)
    fit = elo_fit(store, rated, only)
    elo = {} if fit is None else {fitted.name: fitted.elo for fitted in fit.strengths}
    ranked = ranking(FormatView(decided_by="ratings"), standings(tally), fit, rated, RecentGames())
    outcomes = [scored.outcome for scored in store.rating_lists.scored(game, only=only)]
    upset = max(_upsets(game, tally, elo), default=None)
    scale = "mu" if fit is None else "Elo"
    return ListedEngines(game, only.remote, scale, ranked, history(outcomes, rated.model), upset)


def _upsets(game: str, tally: GameScoreCounts, elo: Mapping[str, float]) -> Iterator[Upset]:
    for seats in tally:
        for winner, loser in permutations((seat for seat in seats if seat.name in elo), 2):
            if winner.rank == 1 < loser.rank and not loser.forfeited:
                yield Upset(elo[loser.name] - elo[winner.name], winner.name, loser.name, game)


@dataclass(frozen=True, slots=True)
class EnginesPart:
    """A part of a rating list on the page."""

    listed: ListedEngines
    database: str  # "" if there is one
    beside: str  # the id of a tournament of the database; "" if there is one database
    first: int  # the place of the first line in the list, from 0
    lines: Sequence[RankingLine]
    more: str  # the address of the part after it; "" if there is none

    @property
    def title(self) -> str:
        """What the list is about."""
        return f"{self.listed.title} in {self.database}" if self.database else self.listed.title

    @property
    def sections(self) -> list[tuple[str, list[RankingLine]]]:
        """The engines under the headings of their groups."""
        return in_groups([line.group for line in self.lines], self.lines)
