"""Measure what it costs a run to be watched: the same tournament is played alternately alone and watched.

The engines sleep for a fixed time before every move. Somebody reads the events of the watched runs from
`arena serve`, as a browser does. The same server also runs during the runs that nobody watches, but it does
not find them. The benchmark measures the time of each run, and its processor time with that of its referees
and engines. The server's own processor time is another row, because it is no part of the run.

    .venv/bin/python benchmarks/watched_run.py [--rounds 10] [--games 60] [--sleep-ms 5] [--viewers 1]

The target: at most 2 %.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Self
from urllib.request import urlopen

import psutil  # type: ignore[import-untyped]  # it ships no types
from referee_ply import PLIES, fixed_game

from arena.store import Store

HERE = Path(__file__).parent
ARENA = (sys.executable, "-m", "arena")
# No server looks at the folder where this one begins.
ALONE = (
    sys.executable,
    "-c",
    "from arena.run import feed; feed._PLACE = ''; from arena.cli import main; main()",
)


@dataclass(frozen=True, slots=True)
class Figures:
    """What a run took.

    Attributes:
        seconds: from its start to its end.
        cpu: the processor time of the run, its referees and engines, in seconds.
        server: the processor time of the server meanwhile, in seconds.
        events: the number of events that the first viewer got.
    """

    seconds: float
    cpu: float
    server: float
    events: int


class Viewers:
    """People who look for the running tournament of a server, and read its events to the end.

    Args:
        address: the server.
        count: the number of people.
    """

    def __init__(self, address: str, count: int) -> None:
        self._address = address
        self._over = Event()
        self._threads = [Thread(target=self._view, args=(number,), daemon=True) for number in range(count)]
        self.events = 0

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _view(self, number: int) -> None:
        while not self._over.wait(0.1):
            with urlopen(f"{self._address}/api/tournaments") as answer:
                running = [one["events"] for one in json.load(answer) if one["status"] == "running"]
            if running:
                with urlopen(f"{self._address}{running[0]}", timeout=1) as stream, suppress(TimeoutError):
                    for line in stream:  # a second without an event: the run has probably ended
                        self.events += number == 0 and line.startswith(b"event: ")


class Bench:
    """Runs tournaments.

    Args:
        folder: for files; it has the engine ``instant`` and its game.
        options: the command line.
        server: a server of the database ``arena.db`` in the folder.
        address: its address.
    """

    def __init__(
        self, folder: Path, options: argparse.Namespace, server: psutil.Process, address: str
    ) -> None:
        self._folder, self._options, self._server, self._address = folder, options, server, address

    def run(self, name: str, *, watched: bool) -> Figures:
        """Play a tournament to its end."""
        engine = [
            f"{self._folder}/instant",
            f"{self._folder}/game",
            str(round(self._options.sleep_ms * 1000)),
        ]
        file = self._folder / f"{name}.toml"
        file.write_text(
            f'name = "{name}"\ngame = "quoridor"\ntime_control = "600+10"\nconcurrency = 2\n'
            f"games_per_pairing = {self._options.games}\n[adjudication]\nplies = {PLIES}\n"
            + "".join(f'[[engines]]\nname = "{one}"\ncommand = {json.dumps(engine)}\n' for one in "ab")
        )
        before = sum(self._server.cpu_times()[:2])
        with Viewers(self._address, self._options.viewers if watched else 0) as viewers:
            began = time.monotonic()
            pid = os.posix_spawn(
                sys.executable,
                [*(ARENA if watched else ALONE), "run", str(file), "--quiet"],
                os.environ,
                file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
            )
            _, status, usage = os.wait4(pid, 0)
            seconds = time.monotonic() - began
        assert status == 0, f"arena run ended with {status}"
        assert bool(viewers.events) == (watched and self._options.viewers > 0)
        used = sum(self._server.cpu_times()[:2]) - before
        return Figures(seconds, usage.ru_utime + usage.ru_stime, used, viewers.events)


def measure(bench: Bench, rounds: int) -> None:
    """Play by turns, and print the medians."""
    kinds: dict[bool, list[Figures]] = {False: [], True: []}
    for number in range(rounds):
        for watched in (False, True) if number % 2 else (True, False):
            kinds[watched].append(bench.run(f"{'watched' if watched else 'alone'} {number}", watched=watched))
    alone, seen = kinds[False], kinds[True]
    print(f"{f'medians of {rounds} runs':<34}{'alone':>9}{'watched':>9}{'more':>9}")
    for title, pick in (("seconds of a run", "seconds"), ("its processor seconds", "cpu")):
        ours, theirs = ([getattr(one, pick) for one in runs] for runs in (alone, seen))
        more = statistics.median(b / a for a, b in zip(ours, theirs, strict=True)) - 1
        print(f"{title:<34}{statistics.median(ours):9.2f}{statistics.median(theirs):9.2f}{more:9.1%}")
        spread = [f"{min(runs):.2f} to {max(runs):.2f}" for runs in (ours, theirs)]
        print(f"    from {spread[0]}, and watched from {spread[1]}")
    server = [statistics.median(one.server for one in runs) for runs in (alone, seen)]
    print(f"{'processor seconds of the server':<34}{server[0]:9.2f}{server[1]:9.2f}")
    print(f"events of a viewer: {statistics.median(one.events for one in seen):g}")
    print(f"load of the machine: {os.getloadavg()[1]:.1f}, {len(os.sched_getaffinity(0))} processors")


def main() -> None:
    """Parse the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--sleep-ms", type=float, default=5)
    parser.add_argument("--viewers", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run(["cc", "-O2", "-o", folder / "instant", HERE / "instant.c"], check=True)
        (folder / "game").write_text(" ".join(fixed_game()))
        Store.open(folder / "arena.db", create=True).close()
        command = [*ARENA, "serve", str(folder / "arena.db"), "--port", "0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            try:
                address = server.stdout.readline().removeprefix("serving on ").strip()
                measure(Bench(folder, options, psutil.Process(server.pid), address), options.rounds)
            finally:
                server.terminate()


if __name__ == "__main__":
    main()
