"""The page of a tournament: first the running games or the winners, then the ranking and the statistics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from arena.formats.format import StandingsOrder
from arena.formats.plan import Plan
from arena.model import GameRecord
from arena.scoring import GameScoreCounts
from arena.store import GameSearch, Store
from arena.tables.crosstable import WIDEST, crosstable
from arena.tables.standings import standings
from arena.tables.statistics import GameStatistics, StatisticsCollector
from arena.tables.text_table import TextTable
from arena.tables.tournament_tables import points_table
from arena.web.links import Links
from arena.web.pages.games import GameLine, RecentGames, game_line
from arena.web.pages.section import GameResults, GameSection, Statistics, game_section, statistics_of
from protocol.words import counted

_CONTROLS_SHOWN: Final = 3


class TournamentCollector:
    """What the pages of a tournament show of its games, collected while these are read one after another."""

    def __init__(self) -> None:
        self.read = 0
        self.last = 0  # the number of the last game in the database
        self.statistics: defaultdict[str, StatisticsCollector] = defaultdict(StatisticsCollector)
        self.recent: defaultdict[str, RecentGames] = defaultdict(RecentGames)
        self.all_games = StatisticsCollector()  # and of all ids together
        self.every = RecentGames()
        self._mark: Hashable = None  # of the games up to the last one, see `Store.marks`

    def add(self, record: GameRecord, line: GameLine) -> None:
        """Count a game; ``line`` is its line in lists."""
        game = record.result.game
        for counter in (self.statistics[game], self.all_games):
            counter.add(record)
        for recent in (self.recent[game], self.every):
            recent.add(record, line)
        self.read += 1
        self.last = max(self.last, record.result.id or 0)

    def holds(self, store: Store, tournament: str) -> bool:
        """Whether all games that were read are still as they were: `arena void` changes stored games."""
        return self._mark is None or self._mark == store.marks(self.last)[tournament]

    def read_on(self, store: Store, tournament: str, game: str | None = None) -> None:
        """Read the games of a tournament, or of a game id in it, that were stored since the last time."""
        last = store.contents().last
        self._mark = store.marks(last)[tournament]  # before the games, so that no change is missed
        for record in store.finder.records(GameSearch(tournament, game), after=self.last, last=last):
            self.add(record, game_line(record))


@dataclass(frozen=True, slots=True)
class TournamentFacts:
    """What a tournament is, below its name."""

    engines: int  # that play or have played
    format: str  # in words; "" if it is not known
    controls: tuple[str, ...]  # the most frequent time controls
    games: int  # that count
    planned: int | None  # that there will be; None if it is not known, or if no game is missing
    exact: bool  # whether results cannot end it with fewer games than planned
    dates: tuple[float, ...]  # the starts of the first and the last game; empty before the first one
    forfeits: int
    void: int  # games that do not count
    over: bool | None  # whether no game is missing; None if that is not known
    entrants: Mapping[str, Sequence[str]]  # of each game id, in the order of its file

    @property
    def state(self) -> str:
        """``finished``, ``unfinished`` or ``unknown``."""
        return state_word(self.over)


State = Literal["running", "resting", "finished", "unfinished", "unknown"]

LIVE: Final = ("running", "resting")
"""The states of a tournament that a run plays."""


def state_word(over: bool | None) -> Literal["finished", "unfinished", "unknown"]:
    """Say whether a tournament is over."""
    return "unknown" if over is None else "finished" if over else "unfinished"


@dataclass(frozen=True, slots=True)
class AllGames:
    """The section of all game ids together: its tables; the crosstable is None for too many engines."""

    summary: str
    standings: TextTable
    crosstable: TextTable | None
    statistics: Statistics


@dataclass(frozen=True, slots=True)
class TournamentView:
    """A tournament; ``events`` and ``door`` are addresses on a server.

    ``boards`` has the number of seats of each game that a run plays at the same time.
    """

    name: str
    sections: Sequence[GameSection]
    facts: TournamentFacts
    recent: Sequence[GameLine] = ()  # the last games of all ids, the newest first
    all_games: AllGames | None = None  # None for one game id
    events: str = ""
    boards: tuple[int, ...] = ()
    door: str = ""
    computing: bool = False  # whether the server is still computing the tables, from many games

    @property
    def leaders(self) -> tuple[str, ...]:
        """The engines in the first place; empty if there are several game ids."""
        return self.sections[0].ranking.leaders if len(self.sections) == 1 else ()


def tournament_view(
    name: str,
    plan: Plan | None,
    results: Sequence[GameResults],
    collected: TournamentCollector,
    links: Links,
) -> TournamentView:
    """Return what the page shows. The plan is None if it is not known."""
    sections = [
        game_section(result, collected.statistics[result.game], collected.recent[result.game], links)
        for result in results
    ]
    tallies = {result.game: result.tally for result in results}
    overs = {result.game: result.over for result in results}
    over = None if plan is None else plan.finished(lambda game: overs.get(game, False))
    facts = tournament_facts(plan, tallies, collected.every, over=over)
    all_games = _all_games(tallies, collected, results[-1].format.order) if len(results) > 1 else None
    return TournamentView(name, sections, facts, collected.every.lines, all_games)


def tournament_facts(
    plan: Plan | None, tallies: Mapping[str, GameScoreCounts], recent: RecentGames, *, over: bool | None
) -> TournamentFacts:
    """Return the facts. Before the first game, ``tallies`` is empty."""
    known = {} if plan is None else plan.names
    times = [] if recent.first is None else [recent.first, recent.last or 0.0]
    played = {seat.name for tally in tallies.values() for game_score in tally for seat in game_score}
    return TournamentFacts(
        len(played.union(*known.values())),
        "" if plan is None else plan.format.text(plan.keys),
        tuple(control for control, _ in recent.controls.most_common(_CONTROLS_SHOWN)),
        sum(tally.total() for tally in tallies.values()),
        None if plan is None or over else plan.most,
        plan is not None and plan.total is not None,
        tuple(times),
        recent.forfeits,
        recent.void,
        over,
        known,
    )


def _all_games(
    tallies: Mapping[str, GameScoreCounts], collected: TournamentCollector, order: StandingsOrder
) -> AllGames:
    played = GameScoreCounts()
    for tally in tallies.values():
        played.update(tally)
    table = crosstable(played, order)
    statistics = statistics_of(GameStatistics(collected.all_games))
    return AllGames(
        f"{counted(len(tallies), 'game id')}; {statistics.summary}",
        points_table("", "standings", standings(played, order), order),
        table.titled("") if len(table.names) <= WIDEST else None,
        statistics,
    )
