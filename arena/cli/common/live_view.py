"""What is seen while a tournament runs: a live page on a terminal, plain lines everywhere else."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from arena.model import GameResult, Pairing, Stage
from arena.run.events import (
    EngineDisabled,
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
from arena.scoring import GameScoreCounts, tally
from arena.tables.standings import Standing, standings
from arena.tables.verdict import who_won
from protocol.plurals import counted

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

    from referee.match.job import RunningGame

__all__ = ["LivePage", "PlainLog", "RunView", "describe", "open_view"]

_REFRESH = 4
_ROWS = 20
_REST = 20
"""For how many times as long as it took, a table stays as it is."""


def describe(result: GameResult) -> str:
    """One line on how a game ended."""
    players = result.players
    names = [player.name for player in players]
    who = who_won(names, [player.rank for player in players], [player.forfeit for player in players])
    detail = f" ({result.detail})" if result.detail else ""
    return f"{' - '.join(names)}: {who}: {result.reason}, {counted(result.plies, 'ply', 'plies')}{detail}"


class RunView:
    """What every kind of output keeps: results, running games, and lines that must be said."""

    def __init__(self, name: str, out: TextIO) -> None:
        self._name = name
        self._out = out
        self._total: int | None = None
        self._played = 0
        self._tally: GameScoreCounts = Counter()
        self._said: set[str] = set()

    def begin(self, plan: Schedule, stored: GameScoreCounts) -> None:
        """The run begins, and these games are there already."""
        self._total = plan.total
        self._tally = stored.copy()
        self._played = stored.total()
        if self._played:
            self._say(f"{self._name}: going on, stored already: {self._count()}")

    def observe(self, event: TournamentEvent) -> None:
        """Something happened."""
        match event:
            case GameEnded(_, result):
                self._played += 1
                self._tally.update(tally([result]))
            case Notice(engine, text) if text not in self._said:
                self._said.add(text)
                self._say(f"warning: {engine}: {text}")
            case EngineDisabled(engine, text):
                self._say(f"disabled: {engine}, after failing three times in a row; the last time: {text}")
            case GameReplayed(pairing, text):
                self._say(f"played again: {' - '.join(pairing.seats)}: {text}")
            case FileReread(text):
                self._say(f"{self._name}: {text}")
            case StopRequested(running):
                games = counted(running, "running game")
                self._say(f"stopping: waiting for {games} to end; press Ctrl-C again to stop at once")

    def _say(self, text: str) -> None:
        print(text, file=self._out, flush=True)

    def _count(self) -> str:
        if self._total is None:
            return counted(self._played, "game")
        return f"{self._played} of {counted(self._total, 'game')}"


class PlainLog(RunView):
    """A line for every finished game."""

    def observe(self, event: TournamentEvent) -> None:
        """Something happened."""
        super().observe(event)
        if isinstance(event, GameEnded):
            of = "" if self._total is None else f"/{self._total}"
            self._say(f"[{self._played}{of}] {describe(event.result)}")


class LivePage(RunView):
    """Progress, running games with plies and clocks, and the table so far; redrawn in place."""

    def __init__(self, name: str, out: TextIO) -> None:
        super().__init__(name, out)
        from rich.console import Console
        from rich.live import Live

        self._begun = time.monotonic()
        self._before = 0
        self._running: dict[str, tuple[Pairing, RunningGame | None]] = {}
        self._stages: dict[str, str] = {}
        self._table: tuple[int, tuple[Standing, ...]] = (0, ())
        self._due = 0.0
        self._console = Console(file=out, highlight=False, markup=False, emoji=False)
        self._live = Live(
            console=self._console, get_renderable=self._draw, refresh_per_second=_REFRESH, transient=True
        )

    def start(self) -> None:
        """Begin to draw."""
        self._live.start()

    def stop(self) -> None:
        """Wipe the page away: the final tables follow."""
        self._live.stop()

    def begin(self, plan: Schedule, stored: GameScoreCounts) -> None:
        """The run begins, and these games are there already."""
        super().begin(plan, stored)
        self._before = self._played

    def observe(self, event: TournamentEvent) -> None:
        """Something happened."""
        super().observe(event)
        match event:
            case GameStarted(pairing):
                self._running[pairing.key] = (pairing, None)
            case Progress(games):
                for pairing, state in games:
                    self._running[pairing.key] = (pairing, state)
            case GameEnded(pairing, _) | GameReplayed(pairing, _):
                self._running.pop(pairing.key, None)
            case Stage(game, text):
                self._stages[game] = text

    def _say(self, text: str) -> None:
        self._console.print(text)

    def _draw(self) -> Group:
        from rich.console import Group

        self._refresh()
        return Group(self._headline(), self._games(), self._standings())

    def _headline(self) -> str:
        elapsed = time.monotonic() - self._begun
        fresh = self._played - self._before
        text = f"{self._name}: {self._count()}, {elapsed:.0f} s"
        if fresh and self._total is not None:
            left = (self._total - self._played) * elapsed / fresh
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
        """Work out the table again, if it is out of date and has rested."""
        begun = time.monotonic()
        if self._table[0] != self._played and begun >= self._due:
            self._table = (self._played, standings(self._tally.copy()))  # this is another thread
            # A table of a thousand engines takes half a second, which the games' events have to wait for.
            self._due = begun + _REST * (time.monotonic() - begun)

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
    """The kind of view that suits the terminal, or the lack of one.

    Args:
        name: the tournament's.
        out: where to write; standard error by default, as standard output is for data.
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
