"""Show the progress of a run: the messages of every view, a log with plain lines, and a live page."""

from __future__ import annotations

import math
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from textwrap import shorten
from typing import TYPE_CHECKING, TextIO

from arena.cli.common.output import is_screen
from arena.events import (
    EngineDisabled,
    GameBegan,
    GameEnded,
    GameVoid,
    LiveGame,
    Moved,
    Notice,
    RunEvent,
    Stopping,
)
from arena.formats.format import UNTIL_RAISED
from arena.formats.match_progress import MatchProgress, number_of_games
from arena.formats.plan import Schedule
from arena.model import GameResult, Stage
from arena.scoring import EndedGame, GameScoreCounts, tally, with_names
from arena.tables.result_text import who_won
from arena.tables.standings import standings
from protocol.words import counted, printable

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

    from arena.config import TournamentSpec
    from referee.match.job import RunningGame


_MATCH_INTERVAL = 10
"""The number of games after which a log prints the state of a match."""

_REPEATED_DETAIL = 60
"""The most characters of the detail of a failure, if the engine has failed in this way before."""

_ROWS = 20
_PAUSE_FACTOR = 20
"""The pause before results are computed again, as a multiple of the time that the last computation took."""

_UNITS = (("d", 86_400), ("h", 3600), ("min", 60), ("s", 1))


def duration(seconds: float) -> str:
    """Return a duration in its two largest units: ``40 s``, ``5 min 10 s``, ``2 h 5 min``, ``3 d 4 h``."""
    rest = round(seconds)
    counts: list[str] = []
    for name, size in _UNITS:
        count, rest = divmod(rest, size)
        if count or counts:
            counts.append(f"{count} {name}" if count else "")
    return " ".join(filter(None, counts[:2])) or "0 s"


def describe(result: GameResult, detail: str | None = None) -> str:
    """Describe in one line how a game ended; ``detail`` replaces the detail of the result."""
    players = result.players
    names = [player.name for player in players]
    winner = who_won(names, [player.rank for player in players], [player.forfeit for player in players])
    detail = with_names(result.detail if detail is None else detail, names)
    after = f" ({detail})" if detail else ""
    return f"{' - '.join(names)}: {winner}: {result.reason}, {counted(result.plies, 'ply', 'plies')}{after}"


class RunView:
    """Base class of the views: it counts results and prints the messages that every view shows.

    Alone, it is a quiet view: it says nothing about games that end as they should.
    """

    def __init__(self, spec: TournamentSpec, out: TextIO) -> None:
        self._spec = spec
        self._name = spec.name
        self._out = out
        self._order = spec.plan.format.order
        self._total: int | None = None
        self._most: int | None = None
        self._played = 0
        self._tally: GameScoreCounts = Counter()
        self._results: dict[str, EndedGame] = {}  # the games of a match, by key
        self._matches: list[MatchProgress] = []
        self._warnings: set[str] = set()

    def begin(self, plan: Schedule, stored: GameScoreCounts, results: Mapping[str, EndedGame]) -> None:
        """Start with the scores of the stored games, and these by key if the schedule needs them."""
        self._total, self._most = plan.total, plan.most
        self._tally = stored.copy()
        self._played = stored.total()
        self._matches = self._spec.plan.progress()
        self._count_pairs(results)
        if self._played:
            self.say(f"{self._name}: continuing, already stored: {self._count()}")

    def observe(self, event: RunEvent) -> None:
        """Handle an event of the tournament."""
        match event:
            case GameEnded(result):
                self._played += 1
                self._tally.update(tally([result]))
                self._count_pairs({result.key: result})
                self._game_ended(result)
            case Notice(about, text, warning=True) if text not in self._warnings:
                self._warnings.add(text)
                self.say(f"warning: {about}: {text}")
            case Notice(about, text, warning=False):
                self.say(f"{about}: {text}")
            case EngineDisabled(engine, text):
                self.say(f"disabled: {engine}: it failed three times in a row; the last failure: {text}")
            case GameVoid(pairing, text, again):
                what = "played again" if again else "void, because it failed again"
                self.say(f"{what}: {' - '.join(pairing.seats)}: {text}")
            case Stage(game_id, text, rests=True):
                until = "" if UNTIL_RAISED in text else "; it continues when an engine joins or changes"
                self.say(f"{self._name}: {game_id} {text}{until}")
            case Stopping(0):
                self.say("stopping")
            case Stopping(running):
                games = counted(running, "running game")
                self.say(f"stopping: waiting for {games} to end; press Ctrl-C again to stop immediately")

    def _game_ended(self, result: GameResult) -> None:
        """Show the end of a game. A quiet view does not, and a page shows it in its table."""

    def _count_pairs(self, results: Mapping[str, EndedGame]) -> None:
        if self._matches:
            self._results.update(results)
            for progress in self._matches:
                progress.count(self._results)

    def _scores(self) -> Iterator[str]:
        """Yield the state of each match, in lines."""
        for progress in self._matches:
            yield from progress.lines()

    def say(self, text: str) -> None:
        """Print a line, also from another thread."""
        print(printable(text, keep="\n"), file=self._out, flush=True)

    def _count(self) -> str:
        return number_of_games(self._played, self._most, self._total is not None)


class RunLog(RunView):
    """A log with a line for every finished game, and the state of a match after every ten.

    The failures of an engine resemble each other. So the first one of a kind is printed in full, and the next
    ones are shortened; `arena show` has all of them.
    """

    def __init__(self, spec: TournamentSpec, out: TextIO) -> None:
        super().__init__(spec, out)
        self._failures: set[tuple[str, str]] = set()

    def _game_ended(self, result: GameResult) -> None:
        failures = {(player.name, player.forfeit) for player in result.players if player.forfeit}
        repeated = bool(failures) and failures <= self._failures
        self._failures |= failures
        detail = shorten(result.detail, _REPEATED_DETAIL, placeholder=" ...") if repeated else result.detail
        at_most = "" if self._total is not None else "at most "
        known = self._most is not None and self._played <= self._most  # as in `number_of_games`
        total = f"/{at_most}{self._most}" if known else ""
        number = "" if result.id is None else f"game {result.id}: "
        faulty = (seat for seat, player in enumerate(result.players) if player.forfeit)
        files = [f"; {file}" for seat in faulty if (file := self._spec.transcript(result, seat))]
        self.say(f"[{self._played}{total}] {number}{describe(result, detail)}{''.join(files)}")
        if self._matches and not self._played % _MATCH_INTERVAL:
            self.say("\n".join((f"--- {self._name}: {self._count()}", *self._scores(), "---")))


class LivePage(RunView):
    """A page with the progress, the running games and the current table, redrawn in place.

    A thread of rich draws it, so that no event of a game waits.
    """

    def __init__(self, spec: TournamentSpec, out: TextIO) -> None:
        super().__init__(spec, out)
        from rich.console import Console, Group
        from rich.live import Live

        self._started_at = time.monotonic()
        self._stored = 0
        self._stopping = False
        self._running: dict[str, tuple[LiveGame, RunningGame | None]] = {}
        self._stages: dict[str, Stage] = {}
        self._moment = self._now()
        self._page = Group()
        self._due = 0.0  # when the next moment is taken; infinite until the last one is drawn
        self._console = Console(file=out, highlight=False, markup=False, emoji=False)
        self.live = Live(console=self._console, get_renderable=self._draw, transient=True)

    def begin(self, plan: Schedule, stored: GameScoreCounts, results: Mapping[str, EndedGame]) -> None:
        """Start the view as `RunView` does."""
        super().begin(plan, stored, results)
        self._stored = self._played
        self._take_moment()

    def observe(self, event: RunEvent) -> None:
        """Handle an event of the tournament."""
        super().observe(event)
        match event:
            case GameBegan(game):
                # What ran in its slot has ended, and waits to be stored.
                others = {key: row for key, row in self._running.items() if row[0].slot != game.slot}
                self._running = {**others, game.pairing.key: (game, None)}
                stage = self._stages.get(game.pairing.game)
                if stage is not None and stage.rests:
                    del self._stages[stage.game]
            case Moved(games):
                for key, state in games.items():
                    if key in self._running:
                        self._running[key] = (self._running[key][0], state)
            case GameEnded(result):
                self._running.pop(result.key, None)
            case GameVoid(pairing):
                self._running.pop(pairing.key, None)
            case Stopping():
                self._stopping = True
            case Stage(game_id):
                self._stages[game_id] = event
        self._take_moment()

    def say(self, text: str) -> None:
        """Print a line above the page, also from another thread."""
        self._console.print(printable(text, keep="\n"))

    def _take_moment(self) -> None:
        """Let the page show this moment, if the last one is drawn and the pause is over."""
        if time.monotonic() >= self._due:
            self._moment = self._now()
            self._due = math.inf

    def _now(self) -> tuple[str, list[tuple[LiveGame, RunningGame | None]], GameScoreCounts]:
        return self._headline(), list(self._running.values()), self._tally.copy()

    def _draw(self) -> Group:
        """Draw the moment that was taken last. With a thousand engines this takes half a second."""
        from rich.console import Group

        if self._due == math.inf:
            started = time.monotonic()
            headline, running, counts = self._moment
            self._page = Group(headline, _games(running), self._standings(counts))
            ended = time.monotonic()
            self._due = ended + _PAUSE_FACTOR * (ended - started)
        return self._page

    def _headline(self) -> str:
        elapsed = time.monotonic() - self._started_at
        new_games, left = self._played - self._stored, self._games_left()
        text = f"{self._name}: {self._count()}, {duration(elapsed)}"
        if self._stopping:
            text += f", waiting for {counted(len(self._running), 'running game')}"
        elif new_games and left is not None:
            text += f", about {duration(left * elapsed / new_games)} to go"
        stages = [f"{stage.game}: {stage.text}" for stage in self._stages.values()]
        return "\n".join((text, *([*self._scores()] or stages)))

    def _games_left(self) -> float | None:
        """Return the number of games until the end: of all games, or of the tests if they end sooner."""
        tests = [progress.games_left() for progress in self._matches]
        until_decided = None if None in tests or not tests else sum(filter(None, tests))
        until_played = None if self._most is None else max(self._most - self._played, 0)
        return min((left for left in (until_decided, until_played) if left is not None), default=None)

    def _standings(self, counts: GameScoreCounts) -> Table:
        from rich.table import Table

        table = Table("so far", box=None, pad_edge=False, min_width=40)
        for column in ("games", "W-D-L", "points", "forfeits"):
            table.add_column(column, justify="right")
        for row in standings(counts, self._order)[:_ROWS]:
            record = f"{row.wins}-{row.draws}-{row.losses}"
            table.add_row(row.name, str(row.games), record, f"{row.points:g}", str(row.forfeits or ""))
        return table


def _games(running: Sequence[tuple[LiveGame, RunningGame | None]]) -> Table:
    from rich.table import Table

    table = Table("playing", "game", box=None, pad_edge=False, min_width=40)
    table.add_column("ply", justify="right")
    table.add_column("clocks", justify="right")
    on_workers = any(game.worker for game, _ in running)
    if on_workers:
        table.add_column("worker")
    for game, state in running[:_ROWS]:
        lefts = state.clocks_ms if state else ()
        clocks = " ".join("-" if left is None else f"{left / 1000:.1f}" for left in lefts)
        pairing = game.pairing
        row = [" - ".join(pairing.seats), pairing.game, str(state.ply) if state else "", clocks]
        table.add_row(*row, *([game.worker] if on_workers else []))
    return table


@contextmanager
def open_view(spec: TournamentSpec, out: TextIO | None = None, *, quiet: bool = False) -> Iterator[RunView]:
    """Open a live page if ``out`` is a screen, and a plain log otherwise.

    The default is standard error, because standard output is for data.
    """
    out = sys.stderr if out is None else out
    if quiet:
        yield RunView(spec, out)
    elif not is_screen(out):
        yield RunLog(spec, out)
    else:
        page = LivePage(spec, out)
        with page.live:  # at its end the page goes, and the command prints the final tables
            yield page
