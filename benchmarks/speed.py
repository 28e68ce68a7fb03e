"""Measure every figure that has a goal of speed, and its yardstick, in one run; print a table in Markdown.

    .venv/bin/python benchmarks/speed.py --fastchess PATH --c-chess-cli PATH [--runs 5] [--only 2 3]

Each round measures everything once, so that a busy machine slows all figures of a round alike. A yardstick is
what a figure is compared with. A row that has one shows the median of the figure divided by the yardstick. A
row is left out if its manager has no path. With all goals and five rounds this takes half an hour.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import trio
from fair_clock import differences
from managers import NODES, Contest, openings
from referee_ply import HERE, PLIES, fixed_chess_game, fixed_game, referee_ply, trio_ping_pong
from startup import ARENA, ENGINE, first_go, next_go, seconds
from store import delete_checkpoints, fill, tournament

CLOCK_GAMES = 4
PLY_GAMES = 60


@dataclass(slots=True)
class Row:
    """A row of the table.

    Attributes:
        number: the number of the goal.
        title: what is measured.
        unit: the unit of the figures.
        goal: the most that the ratio may be (the least, if ``more``); without a yardstick, the figure.
        yardstick: what it is compared with; "" for nothing.
        more: whether more is better.
        figures: one for each round.
        yardsticks: the figures of the yardstick.
    """

    number: int
    title: str
    unit: str
    goal: float
    yardstick: str = ""
    more: bool = False
    figures: list[float] = field(default_factory=list)
    yardsticks: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        figure = statistics.median(self.figures)
        cells = [str(self.number), self.title, f"{figure:.3g} {self.unit}"]
        reached = figure
        if self.yardstick:
            reached = statistics.median(a / b for a, b in zip(self.figures, self.yardsticks, strict=True))
            cells += [f"{self.yardstick}: {statistics.median(self.yardsticks):.3g}", f"{reached:.2f}"]
        else:
            cells += ["", ""]
        ok = reached >= self.goal if self.more else reached <= self.goal
        bound = "at least" if self.more else "at most"
        return f"| {' | '.join([*cells, f'{bound} {self.goal:g}', 'yes' if ok else 'no'])} |"


class Table:
    """The rows, in the order of their first figures."""

    def __init__(self) -> None:
        self._rows: dict[str, Row] = {}

    def add(self, row: Row, figure: float, yardstick: float | None = None) -> None:
        """Add the figures of a round to the row with this title, or begin this row."""
        row = self._rows.setdefault(f"{row.title} {row.yardstick}", row)
        row.figures.append(figure)
        if yardstick is not None:
            row.yardsticks.append(yardstick)

    def print(self) -> None:
        """Print all rows."""
        print("| | what | median | yardstick | ratio | goal | reached |\n|---|---|---|---|---|---|---|")
        for row in self._rows.values():
            print(row)


@contextmanager
def pinned(cpu: int) -> Iterator[None]:
    """In the context, this process and those that it starts share one processor."""
    all_cpus = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {cpu})
    try:
        yield
    finally:
        os.sched_setaffinity(0, all_cpus)


class Bench:
    """The measurements. Each method measures one goal once.

    Args:
        options: the arguments of the command line.
        folder: for files; it has the engine ``instant`` and its games.
        table: gets the figures.
    """

    def __init__(self, options: argparse.Namespace, folder: Path, table: Table) -> None:
        self._options = options
        self._folder = folder
        self._table = table
        self._instant = {name: [f"{folder}/instant", f"{folder}/{name}"] for name in ("quoridor", "chess")}
        self._ladder: Path | None = None

    def search(self) -> None:
        """Goal 1: Stockfish with few nodes, two games at once."""
        games = self._options.games
        Path(self._folder, "book.epd").write_text(openings(games // 2))
        limits = (f"tc=inf nodes={NODES}", f"nodes={NODES}", f"nodes={NODES}")
        contest = Contest(self._folder, [self._options.stockfish], games, limits, 2, book=True)
        title = f"Stockfish, {NODES} nodes, {games} games, two at once"
        figures = {
            title: contest.seconds(contest.arena("chess")),
            f"{title}, affinity = true": contest.seconds(contest.arena("chess", pinned=True)),
        }
        for manager, goal, path, command in (
            ("fastchess", 0.55, self._options.fastchess, contest.fastchess),
            ("c-chess-cli", 1.15, self._options.c_chess_cli, contest.c_chess_cli),
        ):
            if path:
                yardstick = contest.seconds(command(path))
                for text, figure in figures.items():
                    self._table.add(Row(1, text, "s", goal, manager), figure, yardstick)

    def ply(self) -> None:
        """Goals 2 and 3: the referee's CPU time for a ply."""
        with pinned(self._options.cpu):
            unit = trio_ping_pong(self._instant["quoridor"], PLY_GAMES * PLIES)
            for sync, goal in (("game", 2.6), ("move", 4.2)):
                figures = {
                    game: referee_ply(engine, game, sync, PLY_GAMES) for game, engine in self._instant.items()
                }
                row = Row(2, f'referee, a ply of Quoridor, sync = "{sync}"', "µs", goal, "trio ping-pong")
                self._table.add(row, figures["quoridor"], unit)
                row = Row(3, f'referee, a ply of chess, sync = "{sync}"', "µs", 1.3, "Quoridor")
                self._table.add(row, figures["chess"], figures["quoridor"])

    def whole_run(self) -> None:
        """Goal 4: whole tournaments of engines that answer at once."""
        games, limits = self._options.instant_games, ("tc=60+0.6", "tc=60+0.6", "60+0.6")
        quoridor, chess, two = (
            Contest(self._folder, self._instant[name], games, limits, at_once, book=False)
            for name, at_once in (("quoridor", 1), ("chess", 1), ("quoridor", 2))
        )
        scale = 1e6 / games / PLIES
        with pinned(self._options.cpu):
            figure = quoridor.seconds(quoridor.arena("quoridor")) * scale
            if path := self._options.fastchess:
                row = Row(
                    4, f"arena run, a ply of Quoridor, {games} games, one processor", "µs", 1.5, "fastchess"
                )
                self._table.add(row, figure, chess.seconds(chess.fastchess(path)) * scale)
        for title, pin in (("two at once", False), ("two at once, affinity = true", True)):
            one, both = (
                games / contest.seconds(contest.arena("quoridor", pinned=pin)) for contest in (quoridor, two)
            )
            row = Row(4, f"arena run, {title}", "games/s", 1.8, "one at once", more=True)
            self._table.add(row, both, one)

    def start(self) -> None:
        """Goal 5: the start of commands."""
        folder = self._folder / "start"
        folder.mkdir(exist_ok=True)
        to_go, nothing = first_go(folder)
        self._table.add(Row(5, "arena run to the first go", "s", 0.4), to_go)
        self._table.add(Row(5, "arena run with nothing to play", "s", 0.35), nothing)
        click = seconds([sys.executable, "-c", "import click"])
        self._table.add(Row(5, "arena --help", "s", 1.2, "import click"), seconds([*ARENA, "--help"]), click)

    def clock(self) -> None:
        """Goal 6: the time that the referee charges beyond what an engine takes."""
        engine = (*self._instant["quoridor"], "20000")
        excess = sorted(trio.run(differences, engine, 2, CLOCK_GAMES))
        self._table.add(Row(6, "fair clock, two at once, p50", "ms", 0.15), statistics.median(excess))
        self._table.add(Row(6, "fair clock, two at once, p99", "ms", 0.6), excess[int(len(excess) * 0.99)])

    def ladder(self) -> None:
        """Goal 7: a ladder with many stored games goes on, and is rated from nothing."""
        games = self._options.ladder_games
        folder = self._folder / "ladder"
        if self._ladder is None:
            folder.mkdir()
            self._ladder = tournament(folder, "ladder", games)
            fill(self._ladder)
            engine = folder / "engine.sh"
            engine.write_text(ENGINE)
            engine.chmod(0o755)
            text = self._ladder.read_text().replace('"true"', f'["{engine}", "{folder}/go"]')
            self._ladder.write_text(text.replace("max_games = ", "max_games = 1"))  # some more games
        row = Row(7, f"arena run to the next go, a ladder of {games:,} games", "s", 2)
        self._table.add(row, next_go(self._ladder, folder / "go")[0])
        delete_checkpoints(self._ladder)
        row = Row(7, f"arena ratings from nothing, {games:,} games", "s", 9)
        self._table.add(row, seconds([*ARENA, "ratings", "--db", f"{folder}/ladder.db"]))


def main() -> None:
    """Measure in rounds, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fastchess", metavar="PATH")
    parser.add_argument("--c-chess-cli", metavar="PATH")
    parser.add_argument("--stockfish", metavar="PATH", default="/usr/games/stockfish")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--games", type=int, default=600, help="games of Stockfish")
    parser.add_argument("--instant-games", type=int, default=2000)
    parser.add_argument("--ladder-games", type=int, default=100_000)
    parser.add_argument("--cpu", type=int, default=min(os.sched_getaffinity(0)))
    parser.add_argument("--only", type=int, nargs="+", default=[1, 2, 4, 5, 6, 7], metavar="GOAL")
    options = parser.parse_args()
    table = Table()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["XDG_RUNTIME_DIR"] = name  # an `arena serve` of this user must not watch these runs
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # users do not compile all modules at each start
        subprocess.run(["cc", "-O2", "-o", folder / "instant", HERE / "instant.c"], check=True)
        folder.joinpath("quoridor").write_text(" ".join(fixed_game()))
        folder.joinpath("chess").write_text(" ".join(fixed_chess_game()))
        bench = Bench(options, folder, table)
        goals: dict[int, Callable[[], None]] = {
            1: bench.search,
            2: bench.ply,
            4: bench.whole_run,
            5: bench.start,
            6: bench.clock,
            7: bench.ladder,
        }
        for _ in range(options.runs):
            for goal in {2 if goal == 3 else goal for goal in options.only}:
                goals[goal]()
    table.print()


if __name__ == "__main__":
    main()
