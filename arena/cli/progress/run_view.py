"""Show the progress of a running tournament: the messages of every view, and a log with plain lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from textwrap import shorten
from typing import TYPE_CHECKING, TextIO

from arena.ended_games import EndedGame, GameScoreCounts, tally
from arena.formats.schedule import Schedule
from arena.model import GameResult
from arena.run.events import (
    EngineDisabled,
    FileReread,
    GameEnded,
    GameVoid,
    Notice,
    StopRequested,
    TournamentEvent,
)
from arena.tables.result_text import who_won
from arena.tables.standings import standings, standings_order
from protocol.plurals import counted

if TYPE_CHECKING:
    from arena.config import TournamentSpec
    from arena.tables.match.progress import MatchProgress

__all__ = ["MATCH_INTERVAL", "RunLog", "RunView", "describe"]

MATCH_INTERVAL = 10
"""The number of games after which a log prints the state of a match, unless the user sets another number."""

_MOST_ENGINES = 10
"""The number of engines in the state of a tournament that is no match."""

_REPEATED_DETAIL = 60
"""The most characters of the detail of a failure, if the engine has failed in this way before."""


def describe(result: GameResult, detail: str | None = None) -> str:
    """Describe in one line how a game ended.

    Args:
        result: the game.
        detail: replaces the detail of the result.
    """
    players = result.players
    names = [player.name for player in players]
    winner = who_won(names, [player.rank for player in players], [player.forfeit for player in players])
    detail = result.detail if detail is None else detail
    after = f" ({detail})" if detail else ""
    return f"{' - '.join(names)}: {winner}: {result.reason}, {counted(result.plies, 'ply', 'plies')}{after}"


class RunView:
    """Base class of the views: it counts results and prints the messages that every view shows.

    Alone, it is a quiet view: it says nothing about games that end as they should.

    Args:
        spec: the tournament.
        out: the stream to write to.
        interval: the number of games after which it prints the state of the tournament; 0 for never.
    """

    def __init__(self, spec: TournamentSpec, out: TextIO, interval: int = 0) -> None:
        self._spec = spec
        self._name = spec.name
        self._out = out
        self._interval = interval
        self._order = standings_order(spec.format)
        self._total: int | None = None
        self._played = 0
        self._tally: GameScoreCounts = Counter()
        self._results: dict[str, EndedGame] = {}  # the games of a match, by key
        self._matches: list[MatchProgress] = []
        self._warnings: set[str] = set()

    def begin(self, plan: Schedule, stored: GameScoreCounts, results: Mapping[str, EndedGame]) -> None:
        """Start the view.

        Args:
            plan: the schedule.
            stored: the scores of the games that are already in the database.
            results: these games by key, if the schedule needs their results.
        """
        self._total = plan.total
        self._tally = stored.copy()
        self._played = stored.total()
        if self._spec.format == "match":
            from arena.tables.match.progress import MatchProgress

            pairing_plan = self._spec.pairing_plan()
            self._matches = [MatchProgress(pairing_plan, game) for game in self._spec.games]
            self._count_pairs(results)
        if self._played:
            self._say(f"{self._name}: continuing, already stored: {self._count()}")

    def observe(self, event: TournamentEvent) -> None:
        """Handle an event of the tournament."""
        match event:
            case GameEnded(_, result):
                self._played += 1
                self._tally.update(tally([result]))
                self._count_pairs({result.key: result})
            case Notice(engine, text) if text not in self._warnings:
                self._warnings.add(text)
                self._say(f"warning: {engine}: {text}")
            case EngineDisabled(engine, text):
                self._say(f"disabled: {engine}: it failed three times in a row; the last failure: {text}")
            case GameVoid(pairing, text, again):
                what = "played again" if again else "void, because it failed again"
                self._say(f"{what}: {' - '.join(pairing.seats)}: {text}")
            case FileReread(text):
                self._say(f"{self._name}: {text}")
            case StopRequested(running):
                games = counted(running, "running game")
                self._say(f"stopping: waiting for {games} to end; press Ctrl-C again to stop at once")
        if isinstance(event, GameEnded):
            self._game_ended(event.result)
            if self._interval and not self._played % self._interval:
                self._say("\n".join(self._state()))

    def _game_ended(self, result: GameResult) -> None:
        """Show the end of a game. A quiet view does not."""

    def _count_pairs(self, results: Mapping[str, EndedGame]) -> None:
        if self._matches:
            self._results.update(results)
            for progress in self._matches:
                progress.count(self._results)

    def _state(self) -> list[str]:
        """Return the score of each engine, and Elo and the test of a match, in lines."""
        table = standings(self._tally, self._order)
        best = [
            f"{place}. {row.name}: {row.points:g} of {row.games} ({row.score:.1%})"
            for place, row in enumerate(table[:_MOST_ENGINES], 1)
        ]
        more = len(table) - len(best)
        others = [f"and {counted(more, 'other engine')}"] if more else []
        matches = [line for progress in self._matches for line in progress.lines()]
        return [f"--- {self._name}: {self._count()}", *best, *others, *matches, "---"]

    def _say(self, text: str) -> None:
        print(text, file=self._out, flush=True)

    def _count(self) -> str:
        if self._total is None or self._total < self._played:  # an earlier version of the file had more games
            return counted(self._played, "game")
        return f"{self._played} of {counted(self._total, 'game')}"


class RunLog(RunView):
    """A log with a line for every finished game.

    The failures of an engine resemble each other. So the first one of a kind is told in full, and those that
    follow are shortened; `arena show` has all of them.
    """

    def __init__(self, spec: TournamentSpec, out: TextIO, interval: int = 0) -> None:
        super().__init__(spec, out, interval)
        self._failures: set[tuple[str, str]] = set()

    def _game_ended(self, result: GameResult) -> None:
        failures = {(player.name, player.forfeit) for player in result.players if player.forfeit}
        repeated = bool(failures) and failures <= self._failures
        self._failures |= failures
        detail = shorten(result.detail, _REPEATED_DETAIL, placeholder=" ...") if repeated else result.detail
        total = "" if self._total is None else f"/{self._total}"
        self._say(f"[{self._played}{total}] {describe(result, detail)}")
