"""Play tournaments in virtual time, each drawn from a seed, and check that nothing was lost, left or changed.

    python -m tests.simulation [SECONDS] [--seed SEED]

A tournament is played in one process by the product's own runner, referees, schedule and database. Engines,
processes, signals, clocks and workers are simulated, and go wrong: engines hang, flood and lie, processes are
killed at any moment, and at any statement of the database, disks fail, workers lose their line. After the
last disturbed run another run plays the rest. The same seed gives the same tournament, to the byte. First
come the seeds that have failed once (`failed.txt`), then SEED/0, SEED/1 and so on; ``--seed SEED/7`` plays
that seed alone.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, count
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from tests.simulation.simulate import Played, become_world, simulate

FAILED: Final = Path(__file__).with_name("failed.txt")

PROCESSES: Final = 2


def failed_seeds() -> list[str]:
    """Return the seeds that have failed once."""
    lines = FAILED.read_text().splitlines()
    return [line.split()[0] for line in lines if line.strip() and not line.startswith("#")]


def worlds() -> ProcessPoolExecutor:
    """Return processes of which each can be a world."""
    return ProcessPoolExecutor(PROCESSES, get_context("spawn"), become_world)


def _play_on(pool: ProcessPoolExecutor, seeds: Iterable[str], seconds: float) -> list[Played]:
    """Play until the time or the seeds are over."""
    end = time.monotonic() + seconds
    played: list[Played] = []
    source = iter(seeds)
    waiting: dict[Future[Played], str] = {}
    while True:
        while len(waiting) < 2 * PROCESSES and time.monotonic() < end:
            if (seed := next(source, None)) is None:
                break
            waiting[pool.submit(simulate, seed)] = seed
        if not waiting:
            return played
        for ended in wait(waiting, return_when=FIRST_COMPLETED).done:
            try:
                result = ended.result()
            except BrokenProcessPool:
                hung = ", ".join(waiting.values())
                sys.exit(f"FAILED a tournament hangs, or has ended its process; its seed is one of {hung}")
            del waiting[ended]
            played.append(result)
            if result.faults:
                print(result, flush=True)


def _summary(played: list[Played], took: float) -> str:
    games, runs = sum(each.games for each in played), sum(each.runs for each in played)
    hours = sum(each.seconds for each in played) / 3600
    processor = sum(each.processor for each in played) / len(played)
    what = Counter(chain.from_iterable(each.occurred for each in played))
    rate, wrong = len(played) / took * 60, sum(bool(each.faults) for each in played)
    counts = ", ".join(f"{name} {number}" for name, number in sorted(what.items()))
    speed = f"{rate:.0f} tournaments a minute, {processor:.2f} s of a processor each"
    sums = f"{len(played)} tournaments, {runs} runs and {games} games, {hours:.1f} simulated hours"
    return f"{sums} in {took:.0f} s ({speed}); {wrong} wrong\n{counts}"


def main() -> None:
    """Play tournaments for some seconds; exit with 1 if something was wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.simulation",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("seconds", nargs="?", type=float, default=60.0)
    parser.add_argument("--seed", default=str(int(time.time())))
    options = parser.parse_args()
    seed = options.seed
    print(f"seed {seed}; `make simulate SEED={seed}` plays the same tournaments again", flush=True)
    with worlds() as pool:
        start = time.monotonic()
        fresh = chain(failed_seeds(), (f"{seed}/{number}" for number in count()))
        played = _play_on(pool, [seed] if "/" in seed else fresh, options.seconds)
        print(_summary(played, time.monotonic() - start))
    sys.exit(any(each.faults for each in played))


if __name__ == "__main__":
    main()
