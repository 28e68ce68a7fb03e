"""Measure what `speed.md` has, each figure beside its yardstick in the same run; print a table in Markdown.

    .venv/bin/python benchmarks/speed.py --fastchess PATH --c-chess-cli PATH --base CHECKOUT [--rounds 5]

A yardstick is another manager, a bare exchange of lines, or arena as it was in another commit: CHECKOUT is a
folder with that commit and a `.venv` of its own. Each round measures everything once, so that a busy machine
slows a figure and its yardstick alike. The ratio is the median of the rounds' ratios. A tournament file sets
no more than a tournament needs, and what the title of a row names. A row is left out if its yardstick has no
path. Five rounds take eight minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import chess
from referee_ply import HERE, PLIES, fixed_chess_game, fixed_game, referee_ply, trio_ping_pong

import referee.match.clock

ROOT = HERE.parent
NODES = 100
OPENING_PLIES = 8
REFEREE_GAMES = 60
SLEEP_US = 10_000


@dataclass(slots=True)
class Row:
    """A row of the table: the figures of all rounds, and those of the yardstick."""

    unit: str
    figures: list[float] = field(default_factory=list)
    yardsticks: list[float] = field(default_factory=list)


class Table:
    """The rows, by title and yardstick, in the order of their first figures."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str], Row] = {}

    def add(self, title: str, unit: str, figure: float, yardstick: str, other: float) -> None:
        """Add the figures of a round."""
        row = self._rows.setdefault((title, yardstick), Row(unit))
        row.figures.append(figure)
        row.yardsticks.append(other)

    def print(self) -> None:
        """Print all rows."""
        kind = "pure" if referee.match.clock.__file__.endswith(".py") else "compiled"
        print(f"| what, {kind} | median | yardstick | ratio | ratios of the rounds |\n|---|---|---|---|---|")
        for (title, yardstick), row in self._rows.items():
            ratios = [a / b for a, b in zip(row.figures, row.yardsticks, strict=True)]
            figure, other = statistics.median(row.figures), statistics.median(row.yardsticks)
            cells = (
                title,
                f"{figure:.3g} {row.unit}",
                f"{yardstick}: {other:.3g}",
                f"{statistics.median(ratios):.2f}",
                f"{min(ratios):.2f} to {max(ratios):.2f}",
            )
            print(f"| {' | '.join(cells)} |")


def openings(count: int) -> str:
    """Return positions after random moves, one a line."""
    rng, lines = random.Random(1), list[str]()
    while len(lines) < count:
        board = chess.Board()
        for _ in range(OPENING_PLIES):
            board.push(rng.choice(list(board.legal_moves)))
            if board.is_game_over():
                break
        else:
            lines.append(board.fen())
    return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class Contest:
    """One tournament of an engine with itself, as each manager plays it.

    Args:
        folder: for the files.
        engine: the engine's command.
        games: how many games to play.
        limits: the limits of fastchess, c-chess-cli and arena.
        at_once: how many games run at once.
        book: whether the games begin from the file ``book.epd``.
    """

    folder: Path
    engine: list[str]
    games: int
    limits: tuple[str, str, str]
    at_once: int
    book: bool = False

    def fastchess(self, path: str) -> float:
        """Return the seconds that fastchess takes."""
        program, *arguments = self.engine
        engine = [f"cmd={program}", *([f"args={' '.join(arguments)}"] if arguments else [])]
        book = ["-openings", "file=book.epd", "format=epd", "order=sequential"] if self.book else []
        return self._seconds(
            *(path, "-engine", "name=a", *engine, "-engine", "name=b", *engine),
            *("-each", *self.limits[0].split(), "proto=uci"),
            *(*book, "-rounds", str(self.games // 2), "-games", "2", "-repeat"),
            *("-maxmoves", str(PLIES // 2), "-concurrency", str(self.at_once), "-recover"),
        )

    def c_chess_cli(self, path: str) -> float:
        """Return the seconds that c-chess-cli takes; without a limit of moves, it plays only from a book."""
        return self._seconds(
            *(path, "-each", f"cmd={' '.join(self.engine)}", *self.limits[1].split()),
            *("-engine", "name=a", "-engine", "name=b", "-openings", "file=book.epd", "-repeat"),
            *("-games", str(self.games), "-concurrency", str(self.at_once)),
        )

    def arena(self, game: str, checkout: Path = ROOT) -> float:
        """Return the seconds that the arena of a checkout takes. The games are in ``arena.db`` afterwards."""
        book = '[openings]\nkind = "list"\nfile = "book.epd"\n' if self.book else ""
        engines = "".join(f'[[engines]]\nname = "{name}"\ncommand = {self.engine}\n' for name in "ab")
        dialect = "uci" if game == "chess" else "ugi"
        self.folder.joinpath("arena.db").unlink(missing_ok=True)
        self.folder.joinpath("speed.toml").write_text(
            f'game = "{game}"\ngames_per_pairing = {self.games}\ntime_control = "{self.limits[2]}"\n'
            f"concurrency = {self.at_once}\n[adjudication]\nplies = {PLIES}\n{book}"
            f'[defaults]\ndialect = "{dialect}"\nsync = "game"\n{engines}'
        )
        return self._seconds(*arena_of(checkout), "run", "speed.toml", "--quiet")

    def _seconds(self, *command: str) -> float:
        begin = time.perf_counter()
        subprocess.run(command, cwd=self.folder, check=True, capture_output=True)
        return time.perf_counter() - begin


def arena_of(checkout: Path) -> tuple[str, ...]:
    """Return the command of arena in a checkout; -P leaves the current folder out of the modules."""
    python = sys.executable if checkout == ROOT else str(checkout / ".venv/bin/python")
    return python, "-P", "-m", "arena"


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
    """The measurements. Each method adds a round to the table.

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

    def _games(self, usual: int) -> int:
        return max(1, round(usual * float(self._options.scale)) // 2) * 2

    def search(self) -> None:
        """Measure games of Stockfish: they depend mostly on how much the engines must read."""
        games = self._games(600)
        Path(self._folder, "book.epd").write_text(openings(games // 2))
        limits = (f"tc=inf nodes={NODES}", f"nodes={NODES}", f"nodes={NODES}")
        contest = Contest(self._folder, [self._options.stockfish], games, limits, 2, book=True)
        title = f"Stockfish, {NODES} nodes, two at once, {games} games"
        figure = contest.arena("chess")
        if path := self._options.fastchess:
            self._table.add(title, "s", figure, "fastchess", contest.fastchess(path))
        if path := self._options.c_chess_cli:
            self._table.add(title, "s", figure, "c-chess-cli", contest.c_chess_cli(path))

    def whole_run(self) -> None:
        """Measure tournaments of engines that answer at once: only the managers count."""
        if not (path := self._options.fastchess):
            return
        games, limits = self._games(2000), ("tc=60+0.6", "tc=60+0.6", "60+0.6")
        own, other = (
            Contest(self._folder, self._instant[game], games, limits, 1) for game in ("quoridor", "chess")
        )
        scale = 1e6 / games / PLIES
        with pinned(self._options.cpu):
            figure, yardstick = own.arena("quoridor") * scale, other.fastchess(path) * scale
        title = f"a ply of Quoridor in a whole run of {games:,} games, one processor"
        self._table.add(title, "µs", figure, "fastchess", yardstick)

    def referee(self) -> None:
        """Measure the referee's processor time for a ply, without arena and the engines."""
        with pinned(self._options.cpu):
            unit = trio_ping_pong(self._instant["quoridor"], REFEREE_GAMES * PLIES)
            figure = referee_ply(self._instant["quoridor"], "quoridor", "game", REFEREE_GAMES)
        title = 'the referee\'s own processor time for a ply, sync = "game"'
        self._table.add(title, "µs", figure, "bare trio", unit)

    def clock(self) -> None:
        """Measure the time that the referee charges beyond what an engine takes."""
        if self._options.base:
            own, other = (self._charged(checkout) for checkout in (ROOT, self._options.base))
            for title, share in (("p50", 0.5), ("p99", 0.99)):
                figure, yardstick = (times[int(len(times) * share)] for times in (own, other))
                self._table.add(f"charged time, two at once, {title}", "ms", figure, "base", yardstick)

    def _charged(self, checkout: Path) -> list[float]:
        """Return for each move the milliseconds charged minus those that its engine measured, sorted."""
        engine = [*self._instant["quoridor"], str(SLEEP_US)]
        limits = ("", "", "60+0.6")
        Contest(self._folder, engine, self._games(16), limits, 2).arena("quoridor", checkout)
        command = [*arena_of(checkout), "export", "--jsonl"]
        lines = subprocess.run(command, cwd=self._folder, check=True, capture_output=True).stdout.splitlines()
        games = [game["game"] for line in lines if "game" in (game := json.loads(line))]
        return sorted(
            (ply["time"] / 1e3 - int(ply["score"].split()[1])) / 1e3
            for game in games
            for ply in game["record"]
        )


def main() -> None:
    """Measure in rounds, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fastchess", metavar="PATH")
    parser.add_argument("--c-chess-cli", metavar="PATH")
    parser.add_argument("--stockfish", metavar="PATH", default="/usr/games/stockfish")
    parser.add_argument("--base", metavar="CHECKOUT", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0, help="below 1: fewer games, to try this program")
    parser.add_argument("--cpu", type=int, default=min(os.sched_getaffinity(0)))
    parser.add_argument("--only", nargs="+", choices=["search", "whole_run", "referee", "clock"])
    options = parser.parse_args()
    table = Table()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # users do not compile all modules at each start
        subprocess.run(["cc", "-O2", "-o", folder / "instant", HERE / "instant.c"], check=True)
        folder.joinpath("quoridor").write_text(" ".join(fixed_game()))
        folder.joinpath("chess").write_text(" ".join(fixed_chess_game()))
        bench = Bench(options, folder, table)
        parts: tuple[Callable[[], None], ...] = (bench.search, bench.whole_run, bench.referee, bench.clock)
        for _ in range(options.rounds):
            for part in parts:
                if not options.only or part.__name__ in options.only:
                    part()
    table.print()


if __name__ == "__main__":
    main()
