"""Measure what many machines cost: a batch, a game at the hub, and the tables of many games.

    .venv/bin/python benchmarks/cluster.py [--games 20000] [--plies 80] [--runs 5]

- batch: seconds and processor time of `arena worker` with one game of engines that answer at once, which is
  what a batch costs besides its games;
- hub: games a second that one hub takes from 64 workers with 8 cores each. The workers are simulated by the
  messages that they send; schedule, executor, runner, ratings and database are the real ones;
- Dask: messages a second that a real scheduler passes from a real worker to a client;
- memory of the hub, and seconds of `arena standings` with all these games.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import trio
import trio.lowlevel

from arena.config import load
from arena.run.tournament import Run
from arena.workers import cluster as cluster_module
from arena.workers.batch_process import EVENTS, BatchEvents, BatchTask
from arena.workers.capabilities import Capabilities, Needs
from arena.workers.scheduler import SeenWorker
from referee.match.job import encode

HERE = Path(__file__).parent
ENGINE = HERE.parent / "tests" / "engines" / "hostile_engine.py"
ARENA = [sys.executable, "-m", "arena"]
WORKERS, CORES = 64, 8


def cpu() -> float:
    """Return the processor time of this process and of the children that have ended, in seconds."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def measure_batch(runs: int) -> None:
    """Measure a batch of one game."""
    seat = {
        "engine": {"name": "a", "command": [sys.executable, "-S", str(ENGINE), "honest"]},
        "time_control": "60",
    }
    order = {"do": "game", "id": "1", "game": "quoridor", "seats": [seat, seat], "adjudication": {"plies": 2}}
    walls, used = [], []
    for _ in range(runs):
        begun, before = time.perf_counter(), cpu()
        done = subprocess.run(
            [*ARENA, "worker", "-"], input=json.dumps(order).encode(), capture_output=True, check=True
        )
        assert done.stdout.count(b"\n") == 1
        walls.append(time.perf_counter() - begun)
        used.append(cpu() - before)
    print(
        f"batch of one game: {min(walls):.2f} s (median {statistics.median(walls):.2f}),"
        f" CPU {min(used):.2f} s"
    )


class SimulatedScheduler:
    """A scheduler whose workers have played a batch as soon as they get it; as `Scheduler`."""

    plies = 80

    def __init__(self) -> None:
        self.sending = trio.Lock()
        ply = '[0,"e2",100000000,"cp 20",9]'
        self._record = ",".join([ply] * self.plies)

    @classmethod
    async def connect(cls, address: str, certificates: Path) -> SimulatedScheduler:
        """As `arena.workers.scheduler.connect`."""
        await trio.lowlevel.checkpoint()
        return cls()

    async def workers(self) -> list[SeenWorker]:
        """As in `Scheduler`."""
        await trio.lowlevel.checkpoint()
        return [SeenWorker(f"tls://{n}", f"lab{n}", 0.0) for n in range(WORKERS)]

    async def ask(self, function: object, worker: str, *arguments: bytes, seconds: float = 0.0) -> bytes:
        """As in `Scheduler`; a worker lacks nothing."""
        await trio.lowlevel.checkpoint()
        needs = msgspec.json.decode(arguments[0], type=Needs)
        return msgspec.json.encode(Capabilities(needs.source, needs.rules, "", CORES, 0.0, {}, ()))

    @asynccontextmanager
    async def play(self, worker: str, task: BatchTask) -> AsyncIterator[AsyncIterator[BatchEvents]]:
        """As in `Scheduler`."""
        yield self._played(task)

    async def _played(self, task: BatchTask) -> AsyncIterator[BatchEvents]:
        """Play all games of a batch, each event as a message that is parsed."""
        await trio.sleep(0.02)
        encode(task)
        for order in task.orders:
            yield EVENTS.decode(self._message(order.id))
            await trio.lowlevel.checkpoint()

    async def close(self) -> None:
        """As in `Scheduler`."""
        await trio.lowlevel.checkpoint()

    def _message(self, id_: str) -> bytes:
        seat = (
            '{"reported_name":"","version":"1","rank":1,"forfeit":null,"time_used":4000000000,"time_left":1}'
        )
        return (
            f'{{"batch":"b","events":[{{"event":"started","id":"{id_}"}},{{"event":"finished","id":"{id_}",'
            f'"termination":"adjudicated","reason":"length","detail":"","seats":[{seat},{seat}],'
            f'"record":[{self._record}],"final_position":"/ / e4 e5 / 10 10 / 1","started":1.7e9,'
            f'"duration":8000000000,"void":null}}]}}'
        ).encode()


def measure_hub(folder: Path, games: int, plies: int) -> Path:
    """Let a hub take games of simulated workers; return its database."""
    SimulatedScheduler.plies = plies
    cluster_module.connect = SimulatedScheduler.connect  # type: ignore[attr-defined, assignment]  # workers are simulated
    engines = "".join(f'[[engines]]\nname = "e{n}"\ncommand = "{sys.executable}"\n' for n in range(4))
    file = folder / "t.toml"
    file.write_text(
        f'game = "quoridor"\ngames_per_pairing = {games // 6}\n[executor]\nscheduler = "tls://hub:1"\n{engines}'
    )
    begun, before = time.perf_counter(), cpu()
    summary = trio.run(Run(load(file), signals=False).play)
    seconds, used = time.perf_counter() - begun, cpu() - before
    played = summary.played
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"hub: {played} games in {seconds:.1f} s: {played / seconds:.0f} a second")
    print(
        f"  CPU {used / played * 1e3:.2f} ms a game, so {played / used:.0f} games a second of one processor"
    )
    print(f"  memory at most {most:.0f} MiB; database {(folder / 'arena.db').stat().st_size >> 20} MiB")
    return folder / "arena.db"


def measure_standings(database: Path) -> None:
    """Measure the tables of all games."""
    begun = time.perf_counter()
    subprocess.run([*ARENA, "standings", "--db", str(database)], check=True, capture_output=True)
    print(f"standings: {time.perf_counter() - begun:.1f} s")


FLOOD = """
def flood(topic, messages, size):
    from distributed import get_worker
    worker = get_worker()
    for _ in range(messages):
        worker.log_event(topic, bytes(size))
"""


def measure_dask(messages: int, size: int) -> None:
    """Measure how many messages a scheduler passes on."""
    from distributed import Client, LocalCluster

    namespace: dict[str, Any] = {}
    exec(FLOOD, namespace)
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as made,  # type: ignore[no-untyped-call]
        Client(made, set_as_default=False) as client,  # type: ignore[no-untyped-call]
    ):
        seen: list[float] = []
        client.subscribe_topic("flood", lambda _: seen.append(time.perf_counter()))
        begun = time.perf_counter()
        client.submit(namespace["flood"], "flood", messages, size, pure=False).result()
        while len(seen) < messages:
            time.sleep(0.01)
        seconds = seen[-1] - begun
    print(f"Dask: {messages / seconds:.0f} messages of {size} bytes a second")


def main() -> None:
    """Measure everything."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--plies", type=int, default=80)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    print(f"load average {os.getloadavg()[0]:.1f}")
    measure_batch(options.runs)
    measure_dask(5000, 40 * options.plies)
    with tempfile.TemporaryDirectory() as folder:
        measure_standings(measure_hub(Path(folder), options.games, options.plies))


if __name__ == "__main__":
    main()
