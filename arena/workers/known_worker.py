"""A worker as the hub knows it: what it can do, which files it lacks, and what it plays."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import msgspec
import trio

from arena.run.batch import BatchOrder
from arena.run.engines import BUILD_SECONDS
from arena.workers import worker as at_worker
from arena.workers.batch_process import BatchTask
from arena.workers.capabilities import Capabilities, Prepared, engine_files, refusal
from arena.workers.engine_files import EngineFiles, packed
from arena.workers.scheduler import ANSWER_SECONDS, Scheduler
from arena.workers.speed import SpeedTest, scale_of, scaled
from referee.match.job import Job, decode_event, encode


@dataclass(slots=True, eq=False)
class Batch:
    """Games that a worker plays, those that have not ended by id; or an engine that it tries."""

    worker: KnownWorker
    jobs: dict[str, Job]
    problem: str | None = None  # of the engine that was tried
    over: trio.Event = field(default_factory=trio.Event)  # the engine was tried, or the batch is given up


@dataclass(slots=True, eq=False)
class KnownWorker:
    """A worker of the cluster. Its methods raise the errors of `Scheduler`."""

    scheduler: Scheduler
    address: str
    name: str  # as users see it
    ready: bool = False  # it was examined, and can play
    refused: str = ""  # why it gets no games
    lacks: dict[str, str] = field(default_factory=dict)  # why it cannot play with an engine, by its name
    unknown: set[str] = field(default_factory=set)  # the engines that are being examined or built there
    missing: set[str] = field(default_factory=set)  # the engines whose files it must get first
    cores: int = 1  # that it offers
    scale: float = 1.0  # the factor by which time controls are multiplied
    batches: set[Batch] = field(default_factory=set)
    void: int = 0  # games in a row that were void because of its machine

    def slots(self, cores: int) -> int:
        """Return how many batches it plays at once if each game has ``cores`` cores."""
        return max(self.cores // cores, 1)

    def can_play(self, job: Job) -> bool:
        """Return whether it has the engines of a game."""
        return all(self.has(seat.engine.name) for seat in job.seats)

    def has(self, engine: str) -> bool:
        """Return whether it is known that it can play with an engine."""
        return engine not in self.lacks and engine not in self.unknown

    async def examine(self, prepared: Prepared) -> tuple[str, dict[str, str]]:
        """Return why it cannot play ("" if it can), and why with some engines; it builds what it must."""
        needs, asked = prepared.needs, time.time()
        answer = await self.scheduler.ask(at_worker.announce, self.address, msgspec.json.encode(needs))
        found = msgspec.json.decode(answer, type=Capabilities)
        if problem := refusal(needs, found, asked, time.time()):
            return problem, {}
        self.missing, self.cores = set(found.missing), found.cores
        lacks = found.problems | await self._build(prepared, found.problems)
        if prepared.speed is None or self.ready:  # one that plays is no measure
            return "", lacks
        return await self._measure(prepared, prepared.speed, lacks), lacks

    async def _build(self, prepared: Prepared, lacks: Mapping[str, str]) -> dict[str, str]:
        """Let it build the engines that are built where they play; return why it cannot build some."""
        problems: dict[str, str] = {}
        for name, files in prepared.files.items():
            if files.build and name not in lacks:
                await self.send_files(files)
                asked, seconds = msgspec.json.encode(files), BUILD_SECONDS + ANSWER_SECONDS
                problem = await self.scheduler.ask(at_worker.build, self.address, asked, seconds=seconds)
                if problem:
                    problems[name] = problem
        return problems

    async def _measure(self, prepared: Prepared, speed: SpeedTest, lacks: Mapping[str, str]) -> str:
        """Measure its speed. Return why it is unusable; "" if it is not."""
        engine = speed.job.seats[0].engine.name
        if engine in lacks:
            return f"cannot play with {engine}: {lacks[engine]}"
        task = await self._task(prepared, (speed.job,))
        answer = await self.scheduler.ask(at_worker.measure, self.address, encode(task))
        scale = scale_of(speed, decode_event(answer)) if answer else None
        if scale is None:
            return (
                f"cannot be compared with the hub: {engine} does not search there,"
                " or searches at quite another speed"
            )
        self.scale = scale
        return ""

    async def task(self, prepared: Prepared, orders: Iterable[BatchOrder], watched: bool) -> BatchTask:
        """Send it the files that it lacks, and return its batch, with time controls for its speed."""
        return await self._task(prepared, tuple(scaled(order, self.scale) for order in orders), watched)

    async def _task(
        self, prepared: Prepared, orders: tuple[BatchOrder, ...], watched: bool = False
    ) -> BatchTask:
        files = engine_files(prepared, orders)
        for each in files:
            await self.send_files(each)
        return BatchTask(orders, prepared.needs.cores, files, watched)

    async def send_files(self, files: EngineFiles) -> None:
        """Send it the files of an engine, if it lacks them."""
        async with self.scheduler.sending:  # they are sent once, and at most one archive is in memory
            if files.engine in self.missing:
                archive = await trio.to_thread.run_sync(packed, files, abandon_on_cancel=True)
                asked = msgspec.json.encode(files)
                await self.scheduler.ask(at_worker.install, self.address, asked, archive)
                self.missing.discard(files.engine)
