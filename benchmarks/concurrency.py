"""Measure the clocks of tournament managers with many games at once, in one run; print a page in Markdown.

    .venv/bin/python benchmarks/concurrency.py --fastchess PATH --c-chess-cli PATH > benchmarks/concurrency.md
                                               [--games 2000] [--at-once 16 64 128 250]
                                               [--control 0.2+0.002 1+0.01] [--only arena fastchess]

A manager without a path is left out; arena is always there. All play the same games of chess in this run, one
manager after the other, with engines that sleep (`sleeper.c`): two cores suffice for 250 games. Each game has
six moves a side and ends by repetition. An engine sleeps for nine tenths of its base time in a game. So it
loses on time if the manager charges it about a sixth more than it takes. No manager has a margin.

How late a clock is: the time that a manager charges for a move, minus the time from reading `go` to writing
`bestmove`, as the engine measures it. The engine computes what was charged from its clock in this `go` and in
the next one. That needs nothing of a manager, and has the same resolution for all: a millisecond. So a single
difference can be below zero, and the last move of a game is not among them, nor is a move that loses on time.

Processor time is that of the manager with all its helpers, and what the engines need to start, up to `main`.
Memory is the most that the manager and its helpers had at once (shared pages divided among the processes that
share them), divided by the games at once. The engines' own time and memory are not in these figures. The last
column is the time from the start of the manager to the last move. All of it takes about 25 minutes.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

HERE = Path(__file__).parent
MOVES = 6  # of each side in a game of the engine
LOOK, LONG_LOOK = 0.1, 1.0  # seconds between two looks at the processor time, and at processes and memory
LIMIT = 900.0  # seconds after which a manager is killed
HEADER = """\
# Clocks at many games

`python benchmarks/concurrency.py --fastchess PATH --c-chess-cli PATH > benchmarks/concurrency.md` writes
this page. All managers play the same games, one manager after the other, with engines that sleep. A game
has six moves a side, and the sleeps take nine tenths of the base time. No manager has a margin. *Late* is
what a manager charges for a move, minus what the engine measures from reading `go` to writing `bestmove`;
the clocks in `go` show it in whole milliseconds. fastchess rounds each move down, so its figures are half a
millisecond lower. Each row is {games:,} games.

| time control | at once | manager | lost on time | late, p50, ms | p99 | worst | processor, ms a game |\
 memory, MiB a game | seconds |
|---|---|---|---|---|---|---|---|---|---|"""
TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Control:
    """A time control: the text, its base time, and its increment in milliseconds."""

    text: str
    base: float
    increment: float

    @classmethod
    def parse(cls, text: str) -> Control:
        """Parse seconds with an increment, such as 0.2+0.002."""
        number = r"(\d{1,4}(?:\.\d{1,3})?)"
        found = re.fullmatch(rf"{number}\+{number}", text, re.ASCII)
        if found is None or not float(found[1]):
            raise argparse.ArgumentTypeError(f"{text!a} must be seconds and an increment, such as 0.2+0.002")
        return cls(text, float(found[1]) * 1000, float(found[2]) * 1000)

    @property
    def sleep(self) -> int:
        """How long an engine sleeps before a move on average, in microseconds."""
        return round(self.base * 1000 * 0.9 / MOVES)


@dataclass(frozen=True, slots=True)
class Match:
    """What a manager is to play: two copies of an engine, ``games`` games, ``at_once`` of them at once."""

    folder: Path
    control: Control
    games: int
    at_once: int

    @property
    def engine(self) -> list[str]:
        """The command of the engine."""
        return [str(self.folder.parent / "sleeper"), str(self.folder / "moves"), str(self.control.sleep)]


class Manager:
    """A manager: its command, and how its games ended."""

    def __init__(self, path: str) -> None:
        self.path = path

    def command(self, match: Match) -> list[str]:
        """Return the command that plays the match, and write the files that it needs."""
        raise NotImplementedError

    def endings(self, match: Match) -> dict[str, int]:
        """Return the number of games for each reason of their end; output is in the file ``output``."""
        output = (match.folder / "output").read_text()
        return Counter(re.findall(r"Finished game .*\{(.*)\}", output))


class Arena(Manager):
    """This project."""

    def command(self, match: Match) -> list[str]:
        """Return the command, and write a tournament file."""
        engines = "".join(f'[[engines]]\nname = "{name}"\ncommand = {match.engine}\n' for name in "ab")
        (match.folder / "arena.toml").write_text(
            f'game = "chess"\ngames_per_pairing = {match.games}\ntime_control = "{match.control.text}"\n'
            f'concurrency = {match.at_once}\n[defaults]\ndialect = "uci"\nmargin = 0\n{engines}'
        )
        return [sys.executable, "-m", "arena", "run", "arena.toml", "--quiet"]

    def endings(self, match: Match) -> dict[str, int]:
        """Read the database."""
        with sqlite3.connect(match.folder / "arena.db") as database:
            return dict(database.execute("SELECT reason, COUNT(*) FROM game GROUP BY reason"))


class Fastchess(Manager):
    """fastchess, whose margin is 0 by default."""

    def command(self, match: Match) -> list[str]:
        """Return the command."""
        program, *arguments = match.engine
        engine = [f"cmd={program}", f"args={' '.join(arguments)}"]
        return [
            *(self.path, "-engine", "name=a", *engine, "-engine", "name=b", *engine),
            *("-each", f"tc={match.control.text}", "proto=uci", "-rounds", str(match.games // 2)),
            *("-games", "2", "-concurrency", str(match.at_once), "-force-concurrency", "-recover"),
        ]


class CChessCli(Manager):
    """c-chess-cli, which has no margin."""

    def command(self, match: Match) -> list[str]:
        """Return the command."""
        return [
            *(self.path, "-each", f"cmd={' '.join(match.engine)}", f"tc={match.control.text}"),
            *("-engine", "name=a", "-engine", "name=b", "-games", str(match.games)),
            *("-concurrency", str(match.at_once)),
        ]


class Meter:
    """The processor time and the memory of a manager and of its helpers, but not of its engines."""

    def __init__(self, pid: int, engine: str) -> None:
        self._pid = pid
        self._engine = engine
        self._engines: set[int] = set()
        self._seconds: dict[int, float] = {}
        self.memory = 0  # the most at once, in bytes

    @property
    def seconds(self) -> float:
        """The processor time of all processes so far, also of those that have ended."""
        return sum(self._seconds.values())

    def look(self) -> None:
        """Note the processor time of the known processes."""
        for pid in self._seconds.keys() | {self._pid}:
            try:
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has ended
            self._seconds[pid] = (int(fields[11]) + int(fields[12])) / TICK

    def look_around(self) -> None:
        """Look for new processes, and note the memory of all."""
        waiting, memory = [self._pid], 0
        while waiting:
            pid = waiting.pop()
            try:
                if str(Path(f"/proc/{pid}/exe").readlink()) == self._engine:
                    self._engines.add(pid)
                    self._seconds.pop(pid, None)  # its start is in its own file
                    continue
                self._seconds.setdefault(pid, 0.0)
                rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
                memory += int(re.findall(r"^Pss: +(\d+) kB", rollup, re.MULTILINE)[0]) << 10
                for task in Path(f"/proc/{pid}/task").iterdir():
                    children = map(int, (task / "children").read_text().split())
                    waiting += (child for child in children if child not in self._engines)
            except (OSError, IndexError):
                continue  # it has just ended
        self.memory = max(self.memory, memory)


@dataclass(frozen=True, slots=True)
class Figures:
    """What a match has cost; ``late`` is what was charged beyond each move's own time, in milliseconds."""

    losses: int
    late: list[float]
    seconds: float  # of processors, a game
    memory: float  # bytes for each game that runs at once
    duration: float  # seconds from the start of the manager to the last move

    def row(self) -> str:
        """Return cells of the table."""
        late = sorted(self.late)
        middle, p99, worst = statistics.median(late), late[int(len(late) * 0.99)], late[-1]
        return (
            f"{self.losses} | {middle:.1f} | {p99:.1f} | {worst:.1f}"
            f" | {self.seconds * 1e3:.1f} | {self.memory / (1 << 20):.2f} | {self.duration:.1f}"
        )


def play(manager: Manager, match: Match) -> Figures | str:
    """Let a manager play a match; return what is wrong if it does not play it."""
    (match.folder / "moves").mkdir(parents=True)
    begin = time.monotonic()
    with (match.folder / "output").open("wb") as output:
        process = subprocess.Popen(
            manager.command(match), cwd=match.folder, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        meter = Meter(process.pid, match.engine[0])
        next_around = 0.0
        # WNOWAIT: the kernel still knows the processor time of a process that nobody has waited for.
        while not os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if time.monotonic() - begin > LIMIT:
                return f"it does not end within {LIMIT:g} s"
            if time.monotonic() >= next_around:
                meter.look_around()
                next_around = time.monotonic() + LONG_LOOK
            meter.look()
            time.sleep(LOOK)
        meter.look()
    finally:
        process.kill()
        code = process.wait()
    if code:
        lines = (match.folder / "output").read_text(errors="replace").strip().splitlines()
        return f"exit code {code}: {lines[-1] if lines else 'it says nothing'}"
    endings = manager.endings(match)
    losses = sum(number for reason, number in endings.items() if re.search(r"time", reason))
    ended = sum(number for reason, number in endings.items() if re.search(r"repetition", reason))
    if losses + ended != match.games:
        return f"not all {match.games} games end by time or repetition: {endings}"
    starts, late, last = read_moves(match.folder / "moves", match.control.increment)
    seconds, memory = (meter.seconds + starts) / match.games, meter.memory / match.at_once
    return Figures(losses, late, seconds, memory, last - begin)


def read_moves(folder: Path, increment: float) -> tuple[float, list[float], float]:
    """Read the files of the engines, and return what is known of all moves.

    These are the seconds that the engines took to start, what was charged beyond the time of each move, in
    milliseconds, and when the last move began, in seconds of the monotonic clock.
    """
    starts, late, last = 0.0, list[float](), 0.0
    for file in folder.iterdir():
        start, *games = file.read_text().split("\n\n")
        starts += int(start) / 1e6
        for game in games:
            moves = [tuple(map(int, line.split())) for line in game.splitlines() if line]
            last = max([last, *(begin / 1e6 for begin, _, _ in moves)])
            for (_, clock, taken), (_, after, _) in pairwise(moves):
                late.append(clock - after + increment - taken / 1e3)
    return starts, late, last


def number_from(least: int) -> Callable[[str], int]:
    """Return a converter of an argument to a number that is not too small."""

    def convert(text: str) -> int:
        if not (text.isascii() and text.isdigit() and least <= int(text) <= 100_000):
            raise argparse.ArgumentTypeError(f"{text!a} must be a number from {least} to 100000")
        return int(text)

    return convert


def program(text: str) -> str:
    """Return the absolute path of a program."""
    if not (path := shutil.which(text)):
        raise argparse.ArgumentTypeError(f"{text!a} is no program: give the path of the manager")
    return str(Path(path).absolute())


def main() -> None:
    """Measure all combinations, and print a row of the table for each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fastchess", metavar="PATH", type=program)
    parser.add_argument("--c-chess-cli", metavar="PATH", type=program)
    parser.add_argument("--games", type=number_from(2), default=2000, help="an even number")
    parser.add_argument("--at-once", type=number_from(1), nargs="+", default=[16, 64, 128, 250])
    controls = [Control.parse(text) for text in ("0.2+0.002", "1+0.01")]
    parser.add_argument("--control", type=Control.parse, nargs="+", default=controls)
    parser.add_argument("--only", nargs="+", choices=["fastchess", "c-chess-cli", "arena"], metavar="MANAGER")
    options = parser.parse_args()
    managers: dict[str, Manager] = {}
    if options.fastchess:
        managers["fastchess"] = Fastchess(options.fastchess)
    if options.c_chess_cli:
        managers["c-chess-cli"] = CChessCli(options.c_chess_cli)
    managers["arena"] = Arena("")
    if missing := set(options.only or ()) - managers.keys():
        parser.error(f"--only {missing.pop()} needs the path of this manager")
    if options.games % 2:
        parser.error("--games must be an even number: each engine plays both colours")
    if not shutil.which("cc"):
        parser.error("there is no C compiler: install cc, which builds the engine")
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # a manager has six pipes for each game
    with tempfile.TemporaryDirectory() as name:
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # users do not compile all modules at each start
        subprocess.run(["cc", "-O2", "-o", f"{name}/sleeper", HERE / "sleeper.c"], check=True)
        print(HEADER.format(games=options.games))
        for control in options.control:
            for at_once in options.at_once:
                for number, (title, manager) in enumerate(managers.items()):
                    if options.only and title not in options.only:
                        continue
                    folder = Path(name, f"{control.text}-{at_once}-{number}")
                    figures = play(manager, Match(folder, control, options.games, at_once))
                    cells = figures if isinstance(figures, str) else figures.row()
                    print(f"| {control.text} | {at_once} | {title} | {cells} |", flush=True)
                    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
