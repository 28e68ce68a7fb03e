"""A cluster of a simulated world: workers that come, go, lose their line, and send results twice."""

from __future__ import annotations

import math
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import trio

from arena.run.batch import play_batch
from arena.run.executor import ExecutorEvent
from arena.workers import worker as at_worker
from arena.workers.batch_process import BatchEnd, BatchEvents, BatchTask
from arena.workers.capabilities import Capabilities, Needs
from arena.workers.scheduler import SchedulerLost, SeenWorker
from referee.match.job import JobFinished

_LATENCY = 0.01


@dataclass(slots=True, eq=False)
class _Worker:
    address: str
    batches: set[trio.CancelScope] = field(default_factory=set)
    heard: float = 0.0  # when the scheduler heard of it
    silent_until: float = 0.0  # when its line is back


class Machines:
    """The workers of a world, and the scheduler that knows them."""

    def __init__(self, nursery: trio.Nursery, draw: random.Random) -> None:
        self._nursery = nursery
        self._draw = draw
        self._number = 0
        self._workers: dict[str, _Worker] = {}
        self._connections: list[SimulatedScheduler] = []
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
        """End the scheduler, which comes back immediately and knows nothing; the workers come again."""
        for connection in self._connections:
            connection.lost = True
        for _ in range(len(self._workers)):
            self.die()

    async def connect(self, address: str, certificates: Path) -> SimulatedScheduler:
        """Connect, as `arena.workers.scheduler.connect`."""
        await trio.lowlevel.checkpoint()
        self._connections.append(SimulatedScheduler(self))
        return self._connections[-1]

    # --- for a connection

    def seen(self) -> list[SeenWorker]:
        now = trio.current_time()
        seen = []
        for worker in self._workers.values():
            if now >= worker.silent_until:
                worker.heard = now
            seen.append(SeenWorker(worker.address, worker.address, now - worker.heard))
        return seen

    def answer(self, function: Callable[..., Any], address: str, arguments: tuple[bytes, ...]) -> Any:
        worker = self._workers.get(address)
        if worker is None or trio.current_time() < worker.silent_until:
            raise SchedulerLost("the worker has gone")
        if function is at_worker.announce:
            needs = msgspec.json.decode(arguments[0], type=Needs)
            return msgspec.json.encode(_capabilities(needs))
        if function is at_worker.build:
            return ""
        return None

    async def play(self, address: str, task: BatchTask, mail: trio.MemorySendChannel[BatchEvents]) -> None:
        """Let a worker play a batch, whose events get into the mail."""
        worker = self._workers[address]
        events, results = trio.open_memory_channel[ExecutorEvent](10_000)
        scope = trio.CancelScope()
        worker.batches.add(scope)
        with mail, scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._deliver, worker, results, mail)
                with events:
                    summary = await play_batch(task.orders, events.send_nowait, concurrency=1)
            mail.send_nowait(BatchEvents("", (), BatchEnd(1 if summary.failed else 0, "")))
        worker.batches.discard(scope)

    async def _deliver(
        self,
        worker: _Worker,
        results: trio.MemoryReceiveChannel[ExecutorEvent],
        mail: trio.MemorySendChannel[BatchEvents],
    ) -> None:
        async for event in results:
            await trio.sleep(_LATENCY + max(0.0, worker.silent_until - trio.current_time()))
            for _ in range(2 if self.twice and isinstance(event, JobFinished) else 1):
                mail.send_nowait(BatchEvents("", (event,)))  # type: ignore[arg-type]  # a batch has no other events

    def start(self, address: str, task: BatchTask, mail: trio.MemorySendChannel[BatchEvents]) -> None:
        """Start to play a batch, in a task of the world."""
        if address not in self._workers:
            raise SchedulerLost("the worker has gone")
        self._nursery.start_soon(self.play, address, task, mail)


class SimulatedScheduler:
    """A connection, as `arena.workers.scheduler.Scheduler`."""

    def __init__(self, machines: Machines) -> None:
        self._machines = machines
        self.lost = False
        self.sending = trio.Lock()

    async def _check(self) -> None:
        await trio.lowlevel.checkpoint()
        if self.lost:
            raise SchedulerLost("the connection is closed")

    async def workers(self) -> list[SeenWorker]:
        await self._check()
        return self._machines.seen()

    async def ask(
        self, function: Callable[..., Any], worker: str, *arguments: bytes, seconds: float = 0.0
    ) -> Any:
        await self._check()
        return self._machines.answer(function, worker, arguments)

    @asynccontextmanager
    async def play(
        self, worker: str, task: BatchTask
    ) -> AsyncIterator[trio.MemoryReceiveChannel[BatchEvents]]:
        await self._check()
        mail, messages = trio.open_memory_channel[BatchEvents](math.inf)
        self._machines.start(worker, task, mail)
        yield messages

    async def close(self) -> None:
        self.lost = True
        await trio.lowlevel.checkpoint()


def _capabilities(needs: Needs) -> Capabilities:
    """Return what a worker says that lacks nothing."""
    return Capabilities(needs.source, needs.rules, "", 1, 0.0, problems={}, missing=())
