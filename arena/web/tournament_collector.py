"""What the pages of a tournament show of its games, collected while the games are read one after another."""

from __future__ import annotations

from collections import defaultdict

from arena.model import GameRecord
from arena.store import Store
from arena.tables.statistics.collector import StatisticsCollector
from arena.web.views.engine import EngineCollector
from arena.web.views.results import GameLine, RecentGames, game_line

__all__ = ["TournamentCollector"]


class TournamentCollector:
    """The games of a tournament that were read.

    Attributes:
        read: the number of games.
        last: the number of the last game in the database; 0 before the first.
        statistics, recent: the statistics and the last games of each game id.
        overall, every: the same for all game ids together.
        engines: what each engine did, by its name.
    """

    def __init__(self) -> None:
        self.read = 0
        self.last = 0
        self.statistics: defaultdict[str, StatisticsCollector] = defaultdict(StatisticsCollector)
        self.recent: defaultdict[str, RecentGames] = defaultdict(RecentGames)
        self.overall = StatisticsCollector()
        self.every = RecentGames()
        self.engines: dict[str, EngineCollector] = {}

    def add(self, record: GameRecord, line: GameLine) -> None:
        """Count a game.

        Args:
            record: the game.
            line: its line in lists.
        """
        game = record.result.game
        for counter in (self.statistics[game], self.overall):
            counter.add(record)
        for recent in (self.recent[game], self.every):
            recent.add(record, line)
        for seat, name in enumerate(line.names):
            if name not in self.engines:
                self.engines[name] = EngineCollector(name)
            self.engines[name].add(record, line, seat)
        self.read += 1
        self.last = max(self.last, record.result.id or 0)

    def read_on(self, store: Store, tournament: str) -> None:
        """Read the games of a tournament that were stored since the last time."""
        last = store.archive.contents().last
        for record in store.archive.games(last, after=self.last, tournament=tournament):
            self.add(record, game_line(record.result, has_page=True))
