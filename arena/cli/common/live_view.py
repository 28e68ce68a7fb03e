"""Show the progress of a running tournament: a live page on a terminal, plain lines everywhere else."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from arena.cli.common.lasting_output import is_lost
from arena.ended_games import GameScoreCounts, tally
from arena.model import GameResult, Pairing, Stage
from arena.run.events import (
    EngineDisabled,
    EnginesBlamed,
    FileReread,
    GameEnded,
    GameReplayed,
    GameStarted,
    Notice,
    Progress,
    StopRequested,
    TournamentEvent,
)
from arena.schedule import Schedule
from arena.tables.result_text import who_won
from arena.tables.standings import Standing, standings
from protocol.plurals import counted

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

    from referee.match.job import RunningGame

__all__ = ["LivePage", "PlainLog", "RunView", "describe", "open_view"]

_REFRESHES_PER_SECOND = 4
_ROWS = 20
_TABLE_PAUSE = 20
"""The pause before the table is computed again, as a multiple of the time that the last computation took."""


def describe(result: GameResult) -> str:
    """Describe in one line how a game ended."""
    players = result.players
    names = [player.name for player in players]
    winner = who_won(names, [player.rank for player in players], [player.forfeit for player in players])
    detail = f" ({result.detail})" if result.detail else ""
    return f"{' - '.join(names)}: {winner}: {result.reason}, {counted(result.plies, 'ply', 'plies')}{detail}"


class RunView:
    """Base class of the views: it counts results and prints the messages that every view shows."""

    def __init__(self, name: str, out: TextIO) -> None:
        self._name = name
        self._out = out
        self._total: int | None = None
        self._played = 0
        self._tally: GameScoreCounts = Counter()
        self._warnings: set[str] = set()

    def begin(self, plan: Schedule, stored: GameScoreCounts) -> None:
        """Start the view; ``stored`` counts the games that are already in the database."""
        self._total = plan.total
        self._tally = stored.copy()
        self._played = stored.total()
        if self._played:
            self._say(f"{self._name}: continuing, already stored: {self._count()}")

    def observe(self, event: TournamentEvent) -> None:
        """Handle an event of the tournament."""
        match event:
            case GameEnded(_, result):
                self._played += 1
                self._tally.update(tally([result]))
            case Notice(engine, text) if text not in self._warnings:
                self._warnings.add(text)
                self._say(f"warning: {engine}: {text}")
            case EngineDisabled(engine, text):
                self._say(f"disabled: {engine}: it failed three times in a row; the last failure: {text}")
            case EnginesBlamed(engines, lost, text):
                verb = "loses" if len(engines) == 1 else "lose"
                self._say(f"blamed: {' and '.join(engines)} {verb} {counted(lost, 'game')}: {text}")
            case GameReplayed(pairing, text):
                self._say(f"played again: {' - '.join(pairing.seats)}: {text}")
            case FileReread(text):
                self._say(f"{self._name}: {text}")
            case StopRequested(running):
                games = counted(running, "running game")
                self._say(f"stopping: waiting for {games} to end; press Ctrl-C again to stop at once")

    def _say(self, text: str) -> None:
        print(text, file=self._out, flush=True)

    def _say_end(self, result: GameResult) -> None:
        total = "" if self._total is None else f"/{self._total}"
        self._say(f"[{self._played}{total}] {describe(result)}")

    def _count(self) -> str:
        if self._total is None:
            return counted(self._played, "game")
        return f"{self._played} of {counted(self._total, 'game')}"


class PlainLog(RunView):
    """A log with a line for every finished game."""

    def observe(self, event: TournamentEvent) -> None:
        """Handle an event of the tournament."""
        super().observe(event)
        if isinstance(event, GameEnded):
            self._say_end(event.result)


class LivePage(RunView):
    """A page with the progress, the running games and the current table, redrawn in place.

    When its terminal goes away, it becomes a plain log.
    """

    def __init__(self, name: str, out: TextIO) -> None:
        super().__init__(name, out)
        from rich.console import Console
        from rich.live import Live

        self._started_at = time.monotonic()
        self._stored = 0
        self._running: dict[str, tuple[Pairing, RunningGame | None]] = {}
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

    def begin(self, plan: Schedule, stored: GameScoreCounts) -> None:
        """Start the view; ``stored`` counts the games that are already in the database."""
        super().begin(plan, stored)
        self._stored = self._played

    def observe(self, event: TournamentEvent) -> None:
        """Handle an event of the tournament."""
        super().observe(event)
        match event:
            case GameStarted(pairing):
                self._running[pairing.key] = (pairing, None)
            case Progress(games):
                for pairing, state in games:
                    self._running[pairing.key] = (pairing, state)
            case GameEnded(pairing, _) | GameReplayed(pairing, _):
                self._running.pop(pairing.key, None)
                if isinstance(event, GameEnded) and is_lost(self._out):
                    self._live.stop()
                    self._say_end(event.result)
            case Stage(game, text):
                self._stages[game] = text

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
        text = f"{self._name}: {self._count()}, {elapsed:.0f} s"
        if new_games and self._total is not None:
            left = (self._total - self._played) * elapsed / new_games
            text += f", about {left:.0f} s to go"
        stages = (f"{game}: {stage}" for game, stage in list(self._stages.items()))
        return "\n".join((text, *stages))

    def _games(self) -> Table:
        from rich.table import Table

        table = Table("playing", "game", box=None, pad_edge=False, min_width=40)
        table.add_column("ply", justify="right")
        table.add_column("clocks", justify="right")
        for pairing, state in list(self._running.values())[:_ROWS]:
            clocks = " ".join(f"{ms / 1000:.1f}" for ms in state.clocks_ms) if state else ""
            table.add_row(" - ".join(pairing.seats), pairing.game, str(state.ply) if state else "", clocks)
        return table

    def _refresh(self) -> None:
        """Compute the table again if there are new results and the pause is over."""
        begun = time.monotonic()
        if self._table[0] != self._played and begun >= self._table_due:
            self._table = (self._played, standings(self._tally.copy()))  # rich draws in another thread
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
def open_view(name: str, out: TextIO | None = None) -> Iterator[RunView]:
    """Open a live page if ``out`` is a terminal, and a plain log otherwise.

    Args:
        name: the tournament's name.
        out: the stream to write to. The default is standard error, because standard output is for data.
    """
    out = sys.stderr if out is None else out
    if not out.isatty():
        yield PlainLog(name, out)
        return
    page = LivePage(name, out)
    page.start()
    try:
        yield page
    finally:
        page.stop()
