"""Measure how fair the clock is: the time that the referee charges, minus the time that the engine measured.

Engines sleep for a fixed time before every move, and report how long that took by their own clock. The
referee charges more, because of pipes, scheduling and reading. The benchmark measures this difference with
several games at once, with an idle arena, and while the process of arena rates games and computes tables.
With --viewers it measures instead what viewers change. It plays alternately without viewers, and with as many
as the option says. They read the moves of a tournament from `arena serve` on this machine (see viewers.py),
and the referees tell all plies.

With --builds it measures in the same way what the builds of a door change (see builds.py). If --affinity
is also given, one game has a processor of its own, which no build uses.

    .venv/bin/python benchmarks/fair_clock.py [--games 4] [--sleep-ms 20]
                                              [--viewers 50 | --builds [--affinity]]

The target, on two idle cores with two games at once: half of all moves below 0.3 ms, 99 of 100 below 5 ms.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path

import trio
from referee_ply import PLIES, fixed_game

from arena.run.cores import cores_of_run
from arena.run.local_referees import open_referees
from protocol.spec import EngineSpec
from referee.match.adjudication import Adjudication
from referee.match.job import Job, JobFinished, JobSeat, OrderRefused

HERE = Path(__file__).parent
VIEWERS_START = 8.0
"""Seconds after which all viewers read moves."""


async def differences(
    engine: tuple[str, ...], at_once: int, games: int, *, watched: bool = False, pinned: bool = False
) -> list[float]:
    """Return, for each move, the milliseconds charged minus the milliseconds that the engine measured."""
    excess: list[float] = []
    seats = tuple(JobSeat(EngineSpec(name, engine), "60+1") for name in ("a", "b"))
    rules = Adjudication(plies=PLIES)
    with cores_of_run(at_once, True if pinned else "auto") as (cores, _):
        async with open_referees(cores) as referees:
            await referees.watch(watched)
            for number in range(at_once):
                await referees.submit(Job(str(number), "quoridor", seats, adjudication=rules))
            started, ended = at_once, 0
            while ended < at_once * games:
                event = await referees.events.receive()
                assert not isinstance(event, OrderRefused), event
                if isinstance(event, JobFinished):
                    ended += 1
                    assert (event.reason, len(event.record)) == ("length", PLIES), event
                    excess += [(ply.time / 1e3 - int(ply.score.split()[1])) / 1e3 for ply in event.record]
                    if started < at_once * games:
                        order = Job(str(started), "quoridor", seats, adjudication=rules)
                        await referees.submit(order)
                        started += 1
    return excess


@contextmanager
def busy_arena(folder: str) -> Iterator[None]:
    """In the context, a thread of this process stores a thousand games, rates them and computes tables."""
    from startup import write
    from store import add, records

    from arena.config import load
    from arena.ratings.settings import settings_for
    from arena.ratings.trueskill import rate
    from arena.scoring import tally
    from arena.store import Store
    from arena.tables.standings import standings

    stop = threading.Event()

    def work() -> None:
        number = len(list(Path(folder).iterdir()))
        while not stop.is_set():
            place = Path(folder, f"busy{number}")
            file, _ = write(place, 'game = "quoridor"\ngames_per_pairing = 6', 20)
            add(place, records(file))
            store = Store.open(load(file).database, create=False)
            results = store.results()
            store.close()
            standings(tally(results))
            rate((result.players for result in results), settings_for("quoridor"))
            number += 1

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@contextmanager
def viewers(count: int) -> Iterator[None]:
    """In the context, this many viewers read the moves of a tournament from a server of their own."""
    command = [sys.executable, str(HERE / "viewers.py"), "--viewers", str(count), "--seconds", "10000"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        try:
            time.sleep(VIEWERS_START)
            assert process.poll() is None, process.stderr
            yield
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate()


@contextmanager
def builds(games: int) -> Iterator[None]:
    """In the context, one build after another runs as the worker of a door runs them.

    Args:
        games: how many games have processors of their own; 0 if they share them with builds.
    """
    command = [sys.executable, str(HERE / "builds.py"), str(games)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline(), "the first build did not begin"
            yield
        finally:
            process.terminate()
            print(f"{len(process.communicate()[0].splitlines())} builds", flush=True)


def with_and_without(
    engine: tuple[str, ...],
    options: argparse.Namespace,
    name: str,
    beside: Callable[[], AbstractContextManager[None]],
) -> None:
    """Print what is charged without something beside the games and with it, by turns."""
    for at_once in (1,) if options.affinity else (1, 2):
        found: dict[bool, list[float]] = {False: [], True: []}
        for number in range(options.rounds):
            for there in (False, True) if number % 2 else (True, False):
                with beside() if there else nullcontext():
                    watched = there and bool(options.viewers)
                    found[there] += trio.run(
                        partial(
                            differences,
                            engine,
                            at_once,
                            options.games,
                            watched=watched,
                            pinned=options.affinity,
                        )
                    )
        print(row(f"{at_once} at once", found[False]))
        print(row(f"{at_once} at once, {name}", found[True]), flush=True)


def row(name: str, values: list[float]) -> str:
    """Return a line with the median, the 99th percentile and the maximum."""
    values = sorted(values)
    p99 = values[int(len(values) * 0.99)]
    return f"{name:32}{statistics.median(values):9.3f}{p99:9.3f}{values[-1]:9.3f}{len(values):9}"


def main() -> None:
    """Measure with one, two and four games at once, with an idle and with a busy arena."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=4, help="games in each slot")
    parser.add_argument("--sleep-ms", type=int, default=20)
    parser.add_argument(
        "--viewers", type=int, default=0, help="only measure with and without this many viewers"
    )
    parser.add_argument("--builds", action="store_true", help="only measure with and without builds")
    parser.add_argument(
        "--affinity", action="store_true", help="one game on a processor of its own, with --builds"
    )
    parser.add_argument("--rounds", type=int, default=3, help="rounds with and without viewers")
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    print(f"{f'ms beyond the sleep, {cores} cores':32}{'p50':>9}{'p99':>9}{'max':>9}{'moves':>9}")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cc", "-O2", "-o", f"{folder}/instant", HERE / "instant.c"], check=True)
        Path(folder, "game").write_text(" ".join(fixed_game()))
        engine = (f"{folder}/instant", f"{folder}/game", str(options.sleep_ms * 1000))
        if options.viewers:
            with_and_without(engine, options, f"{options.viewers} viewers", partial(viewers, options.viewers))
            return
        if options.builds:
            with_and_without(engine, options, "builds", partial(builds, int(options.affinity)))
            return
        for at_once in (1, 2, 4):
            print(
                row(f"{at_once} at once", trio.run(differences, engine, at_once, options.games)), flush=True
            )
        for at_once in (1, 2, 4):
            with busy_arena(folder):
                values = trio.run(differences, engine, at_once, options.games)
            print(row(f"{at_once} at once, arena busy", values), flush=True)


if __name__ == "__main__":
    main()
