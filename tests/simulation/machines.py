"""A cluster of a simulated world: workers that come, go, lose their line, and send results twice."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import trio

from arena.run.batch import play_batch
from arena.run.executor import ExecutorEvent
from arena.workers import worker as at_worker
from arena.workers.batch_process import TASKS, BatchEnd, BatchEvents, BatchTask
from arena.workers.capabilities import Capabilities, Needs
from arena.workers.cluster import ClusterLost, SeenWorker
from referee.match.job import JobFinished, decode_with, encode

_LATENCY = 0.01


@dataclass(slots=True, eq=False)
class _Worker:
    address: str
    batches: set[trio.CancelScope] = field(default_factory=set)
    heard: float = 0.0  # when the scheduler heard of it
    silent_until: float = 0.0  # when its line is back


class _Batch:
    """The future of a batch, as `distributed.Future`."""

    def __init__(self) -> None:
        self.status = "pending"
        self._result = b""

    def end(self, status: str, result: bytes = b"") -> None:
        self.status, self._result = status, result

    def result(self, timeout: float) -> bytes:
        return self._result

    def release(self) -> None:
        pass


class Machines:
    """The workers of a world, and the scheduler that knows them."""

    def __init__(self, nursery: trio.Nursery, draw: random.Random) -> None:
        self._nursery = nursery
        self._draw = draw
        self._number = 0
        self._workers: dict[str, _Worker] = {}
        self._connections: set[SimulatedCluster] = set()
        self.twice = False
        for _ in range(2):
            self.come()

    def come(self) -> None:
        """Let a worker come."""
        self._number += 1
        address = f"tcp://worker-{self._number}"
        self._workers[address] = _Worker(address, heard=trio.current_time())

    def _any(self) -> _Worker | None:
        return self._draw.choice(list(self._workers.values())) if self._workers else None

    def die(self) -> None:
        """Kill a worker with all that it plays; another one comes."""
        if (worker := self._any()) is not None:
            del self._workers[worker.address]
            for batch in worker.batches:
                batch.cancel()
        self.come()

    def lose_line(self, seconds: float) -> None:
        """Cut a worker off: its messages come when the line is back."""
        if (worker := self._any()) is not None:
            worker.silent_until = trio.current_time() + seconds

    def go_away(self) -> None:
        """End the scheduler, which comes back at once and knows nothing; the workers come anew."""
        for connection in list(self._connections):
            connection.lost = True
        for _ in range(len(self._workers)):
            self.die()

    def connect(
        self, address: str, certificates: Path, topic: str, event: Callable[[bytes], None]
    ) -> SimulatedCluster:
        """Connect, as `arena.workers.cluster.Cluster`."""
        connection = SimulatedCluster(self, event)
        self._connections.add(connection)
        return connection

    # --- for a connection

    def seen(self) -> list[SeenWorker]:
        now = trio.current_time()
        found = []
        for worker in self._workers.values():
            if now >= worker.silent_until:
                worker.heard = now
            found.append(SeenWorker(worker.address, worker.address, now - worker.heard))
        return found

    def answer(self, function: Callable[..., Any], address: str, arguments: tuple[bytes, ...]) -> Any:
        worker = self._workers.get(address)
        if worker is None or trio.current_time() < worker.silent_until:
            raise ClusterLost("the worker has gone")
        if function is at_worker.announce:
            needs = msgspec.json.decode(arguments[0], type=Needs)
            return msgspec.json.encode(_capabilities(needs))
        if function is at_worker.build:
            return ""
        return None

    def begin(
        self, connection: SimulatedCluster, address: str, task: bytes, done: Callable[[_Batch], None]
    ) -> _Batch:
        future = _Batch()
        worker = self._workers.get(address)
        if worker is None:
            raise ClusterLost("the worker has gone")
        self._nursery.start_soon(self._play, connection, worker, decode_with(TASKS, task), future, done)
        return future

    async def _play(
        self,
        connection: SimulatedCluster,
        worker: _Worker,
        task: BatchTask,
        future: _Batch,
        done: Callable[[Any], None],
    ) -> None:
        events, mail = trio.open_memory_channel[ExecutorEvent](10_000)
        scope = trio.CancelScope()
        worker.batches.add(scope)
        with scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._deliver, connection, worker, task.batch, mail)
                with events:
                    summary = await play_batch(task.orders, events.send_nowait, concurrency=1)
            future.end("finished", encode(BatchEnd(1 if summary.failed else 0, "")))
        worker.batches.discard(scope)
        if scope.cancelled_caught:
            future.end("cancelled")
        if not connection.lost:
            done(future)

    async def _deliver(
        self,
        connection: SimulatedCluster,
        worker: _Worker,
        batch: str,
        mail: trio.MemoryReceiveChannel[ExecutorEvent],
    ) -> None:
        async for event in mail:
            await trio.sleep(_LATENCY + max(0.0, worker.silent_until - trio.current_time()))
            for _ in range(2 if self.twice and isinstance(event, JobFinished) else 1):
                connection.tell(encode(BatchEvents(batch, (event,))))  # type: ignore[arg-type]  # a batch has no other events


class SimulatedCluster:
    """A connection to the scheduler, as `arena.workers.cluster.Cluster`."""

    def __init__(self, machines: Machines, event: Callable[[bytes], None]) -> None:
        self._machines = machines
        self._event = event
        self.lost = False

    def _check(self) -> None:
        if self.lost:
            raise ClusterLost("the connection is closed")

    def tell(self, message: bytes) -> None:
        """Carry a message of a worker to the hub."""
        if not self.lost:
            self._event(message)

    def workers(self) -> list[SeenWorker]:
        self._check()
        return self._machines.seen()

    def watch(self, topic: str, watched: bool) -> None:
        self._check()

    def ask(self, function: Callable[..., Any], worker: str, *arguments: bytes, seconds: float = 0.0) -> Any:
        self._check()
        return self._machines.answer(function, worker, arguments)

    def play(self, worker: str, task: bytes, done: Callable[[Any], None]) -> _Batch:
        self._check()
        return self._machines.begin(self, worker, task, done)

    def close(self) -> None:
        self.lost = True


def _capabilities(needs: Needs) -> Capabilities:
    """Return what a worker says that lacks nothing."""
    return Capabilities(
        needs.version, needs.source, needs.rules, "", 1, 0.0, time.time(), 1 << 40, problems={}, missing=()
    )
