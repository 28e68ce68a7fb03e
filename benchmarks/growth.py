"""Measure how the cost of arena grows with its work, and print a page in Markdown.

    .venv/bin/python benchmarks/growth.py > benchmarks/growth.md
                                          [--only engines games plies tournaments book viewers]

A process of its own does a step after the same step with less work, so everything is imported. Of up to three
such processes the quickest counts.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import trio
import viewers
from referee_ply import HERE, referee_ply
from startup import next_go, write
from store import add, delete_checkpoints, records

from arena.cli import main as arena
from arena.config import TournamentSpec, load
from arena.formats.contest import ScheduleState
from arena.formats.plan import Plan
from arena.model import GameRecord
from arena.store import Store
from arena.web.links import Links
from arena.web.server.app import application
from arena.web.server.databases import Databases
from arena.web.server.live import Broadcast
from referee.match.adjudication import Adjudication
from referee.ply import Ply

FORK = multiprocessing.get_context("fork")
Step = Callable[[], object]
Measure = Callable[[Path, Path], float]
"""Returns the processor seconds of a step with the work of one folder, after a step with that of another."""

Work = Iterator[tuple[str, Measure, float]]
"""What is measured, in words; how; and into how many parts its time is divided."""

ENOUGH = 8
"""A step is not repeated after so many seconds."""

WALK = ("e2", "e8", "e1", "e9")
"""Plies of Quoridor that can be repeated without an end."""


def apart(prepare: Callable[[Path], Step]) -> Measure:
    """Measure a step, which is prepared for its folder, in a child process, which prints nothing."""

    def measure(folder: Path, warm: Path) -> float:
        answer = FORK.SimpleQueue()

        def child() -> None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            gc.set_threshold(200_000)  # as in the command line
            prepare(warm)()
            step = prepare(folder)
            begin = time.process_time()
            step()
            answer.put(time.process_time() - begin)

        process = FORK.Process(target=child)
        process.start()
        process.join()
        assert process.exitcode == 0, "the step has failed"
        return float(answer.get())

    return measure


def command(*words: str) -> Measure:
    """Measure an ``arena`` command."""

    def prepare(folder: Path) -> Step:
        os.chdir(folder)
        return lambda: arena(list(words), standalone_mode=False)

    return apart(prepare)


def page(place: str) -> Measure:
    """Measure a page below that of the tournament, of a new server, which waits until it has all tables."""

    async def receive() -> dict[str, Any]:
        return {"type": "http.request"}

    async def send(message: Any) -> None:  # noqa: ANN401 - the messages of ASGI have any values
        assert message.get("status", 200) == 200, message

    def answer(folder: Path) -> None:
        databases = Databases([Store.open(folder / "arena.db", create=False)], 1e6)
        path = Links(databases.tournaments()[0].id).tournament() + place
        scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": []}
        app = application(databases, Broadcast(databases), ())
        trio.run(app, {**scope, "http_version": "1.1", "scheme": "http"}, receive, send)

    return apart(lambda folder: partial(answer, folder))


def next_start(folder: Path, _: Path) -> float:
    """Measure a run up to its next ``go``."""
    return next_go(folder / "t.toml", folder / "go")[1]


def ratings(folder: Path, warm: Path) -> float:
    """Measure `arena ratings` without checkpoints."""
    delete_checkpoints(folder / "t.toml")
    return command("ratings")(folder, warm)


def storing(games: Callable[[Path], Iterable[GameRecord]]) -> Measure:
    """Store games in a new database."""

    def prepare(folder: Path) -> Step:
        return partial(add, folder, list(games(folder)), Path(tempfile.mkdtemp(dir=folder), "arena.db"))

    return apart(prepare)


def spec(folder: Path) -> TournamentSpec:
    """Read the tournament in a folder."""
    return load(folder / "t.toml")


def schedule(folder: Path) -> Iterator[object]:
    """Yield all games of a tournament."""
    return spec(folder).schedule().pending(ScheduleState())


def engines(folder: Path, size: int) -> Work:
    """Begin a round-robin of so many engines; each has played some 20 games."""
    write(folder, 'game = "quoridor"\ngames_per_pairing = 4', size)
    add(folder, itertools.islice(records(folder / "t.toml"), 10 * size))
    pairs = size * (size - 1) / 2
    yield "the file read", apart(lambda folder: partial(spec, folder)), 1
    yield "its plan read", apart(lambda folder: partial(Plan.stored, spec(folder).plan.encode())), 1
    yield "its schedule, a pair", apart(lambda folder: partial(deque, schedule(folder), 0)), pairs
    yield "a run to its next `go`", next_start, 1
    yield "`arena ratings` from nothing", ratings, 1
    yield "`arena standings`", command("standings"), 1
    yield "the page of the tournament", page(""), 1
    yield "the crosstable in JSON, a pair", command("standings", "--json"), pairs


def games(folder: Path, size: int) -> Work:
    """Store so many games of a round-robin of 20 engines."""
    write(folder, f'game = "quoridor"\ngames_per_pairing = {size // 190 + 10}', 20)

    def some(folder: Path) -> Iterator[GameRecord]:
        return itertools.islice(records(folder / "t.toml"), size)

    add(folder, some(folder))
    yield "stored", storing(some), 1
    yield "`arena ratings` from nothing", ratings, 1
    yield "`arena ratings` from checkpoints", command("ratings"), 1
    yield "`arena standings`", command("standings"), 1
    yield "`arena stats`", command("stats"), 1
    yield "`arena list NAME`", command("list", "--last", "20"), 1
    yield "`arena export`", command("export"), 1
    yield "the page of the tournament", page(""), 1
    yield "a run to its next `go`", next_start, 1


def plies(folder: Path, size: int) -> Work:
    """Play a game of Quoridor with so many plies."""
    write(folder, 'game = "quoridor"\nadjudication = { plies = 0, repetition = 0 }', 2)
    moves = list(itertools.islice(itertools.cycle(WALK), size))
    course = tuple(Ply(number % 2, move, 10**6 * number, "cp 12", 5) for number, move in enumerate(moves))
    game = next(records(folder / "t.toml"))
    results = (replace(game.result, key=f"quoridor:{number}", plies=size) for number in range(20))
    many = [replace(game, record=course, result=result) for result in results]
    add(folder, many)
    subprocess.run(["cc", "-O2", "-o", folder / "instant", HERE / "instant.c"], check=True)
    (folder / "moves").write_text(" ".join(moves))

    def referee(folder: Path, _: Path) -> float:
        engine, limits = [str(folder / "instant"), str(folder / "moves")], Adjudication(None, size)
        return referee_ply(engine, "quoridor", "game", max(20_000 // size, 2), limits) / 1e6

    yield "the referee, a ply", referee, 1
    yield "20 games stored", storing(lambda _: many), 1
    yield "`arena show`", command("show", "1"), 1
    yield "the page of the game", page("games/1.html"), 1


def tournaments(folder: Path, size: int) -> Work:
    """Store so many tournaments of four engines, with 12 games each."""
    write(folder, 'game = "quoridor"', 4)
    some = list(records(folder / "t.toml"))
    names = (f"t{number}" for number in range(size))
    add(folder, (replace(one, result=replace(one.result, tournament=name)) for name in names for one in some))
    yield "the home page", page("/"), 1
    yield "`arena list`", command("list"), 1
    yield "`arena standings`", command("standings", "t0"), 1
    yield "a run to its first `go`", next_start, 1


def book(folder: Path, size: int) -> Work:
    """Write a book of so many lines."""
    openings = '{ kind = "list", file = "book.txt", order = "random" }'
    write(folder, f'game = "quoridor"\nopenings = {openings}', 2)
    (folder / "book.txt").write_text("".join(f"e2 e8 e3 e7 # {number}\n" for number in range(size)))

    def drawn(folder: Path) -> Iterator[object]:
        return map(spec(folder).books()["quoridor"].opening, range(1000))

    yield "a run to its first `go`", next_start, 1
    yield "1,000 openings drawn", apart(lambda folder: partial(deque, drawn(folder), 0)), 1


def watched(folder: Path, size: int) -> Work:
    """Let so many viewers see ten running games with fifty moves a second."""
    folder.mkdir()

    def serve(folder: Path, _: Path) -> float:
        options = argparse.Namespace(viewers=size, moves=50, games=10, game="quoridor", seconds=9)
        return trio.run(viewers.measure, options, folder)

    yield "`arena serve` a second, a viewer", serve, size


SUBJECTS: dict[str, tuple[str, Callable[[Path, int], Work], tuple[int, ...]]] = {
    "engines": ("engines in a round-robin", engines, (10, 100, 1_000)),
    "games": ("stored games", games, (10_000, 100_000)),
    "plies": ("plies in a game", plies, (100, 1_000, 10_000)),
    "tournaments": ("tournaments in a database", tournaments, (10, 100, 1_000)),
    "book": ("lines of a book", book, (10_000, 100_000)),
    "viewers": ("viewers", watched, (10, 100)),
}

HEAD = """\
# How the cost grows

`python benchmarks/growth.py > benchmarks/growth.md` writes this page in about ten minutes. A figure is the
processor time of one step, in milliseconds, when everything is imported; only a run up to its `go` starts
with the start of Python. The last column has the largest ratio for ten times the work. With n log n it is
at most 13.

A round-robin of n engines has n(n-1)/2 pairs, and its crosstable has a cell for each, so the time of the
schedule and of the crosstable in JSON is the time for a pair. `arena standings` prints the crosstable of
ten and of a hundred engines, but not of a thousand. The errors in `arena ratings` need the inverse of a
matrix with a row and a column for each engine. In the rows of a round-robin each engine has played some 20
games.

| | | | | ten times the work |
|---|---|---|---|---|"""


def main() -> None:
    """Measure one subject after the other."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=SUBJECTS, default=list(SUBJECTS))
    options = parser.parse_args()
    print(HEAD)
    for subject in options.only:
        title, work, sizes = SUBJECTS[subject]
        with tempfile.TemporaryDirectory() as name:
            warm = Path(name) / "warm"
            list(work(warm, min(sizes[0], 100)))
            figures: dict[str, list[float]] = {}
            for size in sizes:
                folder = Path(name) / str(size)
                for what, measure, parts in work(folder, size):
                    begun, found = time.monotonic(), [measure(folder, warm)]
                    while len(found) < 3 and time.monotonic() < begun + ENOUGH:
                        found.append(measure(folder, warm))
                    figures.setdefault(what, []).append(1000 * min(found) / parts)
                    print(size, what, figures[what][-1], file=sys.stderr)
        print(f"| **{title}** |", " | ".join([*(f"**{size:,}**" for size in sizes), "", ""][:3]), "| |")
        for what, values in figures.items():
            cells = " | ".join(
                [*(f"{value:,.0f}" if value > 99 else f"{value:.3g}" for value in values), ""][:3]
            )
            ratio = max(after / before for before, after in itertools.pairwise(values))
            print(f"| {what} | {cells} | {ratio:.1f} |", flush=True)


if __name__ == "__main__":
    main()
