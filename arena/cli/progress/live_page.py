"""Show the progress of a running tournament as a live page on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from arena.cli.progress.durations import duration
from arena.cli.progress.lasting_output import is_lost
from arena.cli.progress.run_view import MATCH_INTERVAL, RunLog, RunView
from arena.ended_games import EndedGame, GameScoreCounts
from arena.formats.schedule import Schedule
from arena.model import GameResult, Pairing, Stage
from arena.run.events import GameEnded, GameStarted, GameVoid, Progress, TournamentEvent
from arena.tables.standings import Standing, standings

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

    from arena.config import TournamentSpec
    from referee.match.job import RunningGame

__all__ = ["LivePage", "open_view"]

_REFRESHES_PER_SECOND = 4
_ROWS = 20
_TABLE_PAUSE = 20
"""The pause before the table is computed again, as a multiple of the time that the last computation took."""


class LivePage(RunLog):
    """A page with the progress, the running games and the current table, redrawn in place.

    When its terminal goes away, it becomes a plain log.
    """

    def __init__(self, spec: TournamentSpec, out: TextIO) -> None:
        super().__init__(spec, out)
        from rich.console import Console
        from rich.live import Live

        self._started_at = time.monotonic()
        self._stored = 0
        self._running: dict[str, tuple[Pairing, RunningGame | None]] = {}
        self._workers: dict[str, str] = {}
        self._stages: dict[str, str] = {}
        self._table: tuple[int, tuple[Standing, ...]] = (0, ())
        self._table_due = 0.0
        self._console = Console(file=out, highlight=False, markup=False, emoji=False)
        self._live = Live(
            console=self._console,
            get_renderable=self._draw,
            refresh_per_second=_REFRESHES_PER_SECOND,
            transient=True,
        )

    def start(self) -> None:
        """Start drawing."""
        self._live.start()

    def stop(self) -> None:
        """Remove the page from the terminal. The command prints the final tables afterwards."""
        self._live.stop()

    def begin(self, plan: Schedule, stored: GameScoreCounts, results: Mapping[str, EndedGame]) -> None:
        """Start the view, see `RunView.begin`."""
        super().begin(plan, stored, results)
        self._stored = self._played

    def observe(self, event: TournamentEvent) -> None:
        """Handle an event of the tournament."""
        super().observe(event)
        match event:
            case GameStarted(pairing, worker):
                self._running[pairing.key] = (pairing, None)
                self._workers[pairing.key] = worker
            case Progress(games):
                for pairing, state in games:
                    self._running[pairing.key] = (pairing, state)
            case GameEnded(pairing, _) | GameVoid(pairing):
                self._running.pop(pairing.key, None)
                self._workers.pop(pairing.key, None)
            case Stage(game, text):
                self._stages[game] = text

    def _game_ended(self, result: GameResult) -> None:
        if is_lost(self._out):
            self._live.stop()
            super()._game_ended(result)

    def _say(self, text: str) -> None:
        if not is_lost(self._out):
            self._console.print(text)
        if is_lost(self._out):
            super()._say(text)

    def _draw(self) -> Group:
        from rich.console import Group

        self._refresh()
        return Group(self._headline(), self._games(), self._standings())

    def _headline(self) -> str:
        elapsed = time.monotonic() - self._started_at
        new_games = self._played - self._stored
        text = f"{self._name}: {self._count()}, {duration(elapsed)}"
        left = self._games_left()
        if new_games and left is not None:
            text += f", about {duration(left * elapsed / new_games)} to go"
        lines = [line for progress in self._matches for line in progress.lines()]
        if not lines:
            lines = [f"{game}: {stage}" for game, stage in list(self._stages.items())]
        return "\n".join((text, *lines))

    def _games_left(self) -> float | None:
        """Return the number of games until the end: of all games, or of the tests if they end sooner."""
        tests = [progress.games_left() for progress in self._matches]
        until_decided = None if None in tests or not tests else sum(filter(None, tests))
        until_played = None if self._total is None else self._total - self._played
        return min((left for left in (until_decided, until_played) if left is not None), default=None)

    def _games(self) -> Table:
        from rich.table import Table

        table = Table("playing", "game", box=None, pad_edge=False, min_width=40)
        table.add_column("ply", justify="right")
        table.add_column("clocks", justify="right")
        on_workers = any(self._workers.values())
        if on_workers:
            table.add_column("worker")
        for pairing, state in list(self._running.values())[:_ROWS]:
            clocks = " ".join(f"{ms / 1000:.1f}" for ms in state.clocks_ms) if state else ""
            row = [" - ".join(pairing.seats), pairing.game, str(state.ply) if state else "", clocks]
            table.add_row(*row, *([self._workers.get(pairing.key, "")] if on_workers else []))
        return table

    def _refresh(self) -> None:
        """Compute the table again if there are new results and the pause is over."""
        begun = time.monotonic()
        if self._table[0] != self._played and begun >= self._table_due:
            # rich draws in another thread
            self._table = (self._played, standings(self._tally.copy(), self._order))
            # A table of a thousand engines takes half a second, and the games' events wait for it.
            self._table_due = begun + _TABLE_PAUSE * (time.monotonic() - begun)

    def _standings(self) -> Table:
        from rich.table import Table

        table = Table("so far", box=None, pad_edge=False, min_width=40)
        for column in ("games", "W-D-L", "points", "forfeits"):
            table.add_column(column, justify="right")
        for row in self._table[1][:_ROWS]:
            record = f"{row.wins}-{row.draws}-{row.losses}"
            table.add_row(row.name, str(row.games), record, f"{row.points:g}", str(row.forfeits or ""))
        return table


@contextmanager
def open_view(
    spec: TournamentSpec, out: TextIO | None = None, *, quiet: bool = False, interval: int | None = None
) -> Iterator[RunView]:
    """Open a live page if ``out`` is a terminal, and a plain log otherwise.

    Args:
        spec: the tournament.
        out: the stream to write to. The default is standard error, because standard output is for data.
        quiet: show only problems.
        interval: the number of games after which a plain log prints the state of the tournament; 0 for never.
            By default, only the log of a match prints it.
    """
    out = sys.stderr if out is None else out
    if quiet:
        yield RunView(spec, out, interval or 0)
    elif not out.isatty():
        default = MATCH_INTERVAL if spec.format == "match" else 0
        yield RunLog(spec, out, default if interval is None else interval)
    else:
        page = LivePage(spec, out)
        page.start()
        try:
            yield page
        finally:
            page.stop()
