"""Sends batches to the workers of a cluster, receives their events, and notes their ends."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import msgspec
import trio
from distributed import Future

from arena.errors import ArenaError
from arena.run.batch import BatchOrder
from arena.run.executor import BatchEvent
from arena.workers import worker as at_worker
from arena.workers.batch_process import ENDS, EVENTS, BatchEnd, BatchTask
from arena.workers.capabilities import Prepared, engine_files
from arena.workers.cluster import Cluster, ClusterLost
from arena.workers.engine_files import EngineFiles, packed
from arena.workers.speed import scaled
from referee.match.job import Job, TryOrder, decode_with, encode

MOST_VOID: Final = 3
"""A worker gets no more games after this many games in a row were void because of its machine."""

_LATE_SECONDS: Final = 0.5  # seconds that the events of a batch may come after its end
_RESULT_SECONDS: Final = 2.0  # seconds to wait for the result of a batch that has ended


@dataclass(slots=True, eq=False)
class Batch:
    """Games that were sent to a worker: those that have not ended by id, and the ids of engines to try."""

    name: str
    worker: Worker
    jobs: dict[str, Job]
    trials: frozenset[str] = frozenset()


@dataclass(slots=True, eq=False)
class Worker:
    """A worker of the cluster, as the hub knows it."""

    address: str
    name: str  # as users see it
    ready: bool = False  # it was examined, and can play
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


class Batches:
    """The batches that workers play, each game with a number of cores.

    ``event`` gets every event of a batch; ``lose`` a batch that has ended, maybe without results, and why;
    ``blame`` a worker that could not play, and ``refuse`` one that takes no games, and why. ``wake`` says
    that a worker may get another batch.
    """

    def __init__(
        self,
        cores: int,
        event: Callable[[Batch, BatchEvent], None],
        lose: Callable[[Batch, str], None],
        blame: Callable[[Worker, str], None],
        refuse: Callable[[Worker, str], None],
        wake: Callable[[], None],
    ) -> None:
        self.topic: Final = f"arena-{uuid.uuid4().hex}"
        self.watched = False
        self._cores = cores
        self._event = event
        self._lose = lose
        self._blame = blame
        self._refuse = refuse
        self._wake = wake
        self._batches: dict[str, Batch] = {}
        self._number = 0
        self._sending = trio.Lock()
        self._token: trio.lowlevel.TrioToken | None = None
        self._nursery: trio.Nursery | None = None

    @contextmanager
    def running_in(self, nursery: trio.Nursery) -> Iterator[None]:
        """Let the tasks of batches run in a nursery. Ignore what comes from workers after the block."""
        self._nursery = nursery
        self._token = trio.lowlevel.current_trio_token()
        try:
            yield
        finally:
            self._nursery = None

    async def play(
        self,
        cluster: Cluster | None,
        prepared: Prepared,
        worker: Worker,
        jobs: Mapping[str, Job],
        trials: Sequence[TryOrder],
    ) -> None:
        """Let a worker play games, or try engines; ``cluster`` is None while the scheduler is away."""
        self._number += 1
        batch = Batch(f"{self._number}", worker, dict(jobs), frozenset(order.id for order in trials))
        self._batches[batch.name] = batch
        worker.batches.add(batch)
        orders: list[BatchOrder] = [*trials, *jobs.values()]
        if self._nursery is not None:  # else the run ends
            self._nursery.start_soon(self._start, cluster, prepared, batch, orders)
        await trio.lowlevel.checkpoint()

    async def _start(
        self, cluster: Cluster | None, prepared: Prepared, batch: Batch, orders: Sequence[BatchOrder]
    ) -> None:
        """Send a batch to its worker, after the files of its engines."""
        worker = batch.worker
        try:
            if cluster is None:
                raise ClusterLost("the scheduler has gone")
            task = await self.task(cluster, prepared, worker, batch.name, orders)
            done = partial(self._soon, self._end, batch)
            await trio.to_thread.run_sync(cluster.play, worker.address, encode(task), done)
        except ClusterLost:
            await self._end_without(batch, "its worker has gone")
        except ArenaError as error:
            if batch in worker.batches:
                self._refuse(worker, f"does not take games: {error}")
            await self._end_without(batch, str(error))

    async def task(
        self,
        cluster: Cluster,
        prepared: Prepared,
        worker: Worker,
        name: str,
        orders: Sequence[BatchOrder],
    ) -> BatchTask:
        """Send a worker the files that it lacks, and return its batch; "" as its name measures its speed."""
        files = engine_files(prepared, orders)
        for each in files:
            await self.send_files(cluster, worker, each)
        adapted = tuple(scaled(order, worker.scale) for order in orders) if name else tuple(orders)
        return BatchTask(name, self.topic, adapted, self._cores, files, self.watched)

    async def send_files(self, cluster: Cluster, worker: Worker, files: EngineFiles) -> None:
        """Send the files of an engine to a worker, if it lacks them."""
        async with self._sending:  # they are sent once, and at most one archive is in memory
            if files.engine in worker.missing:
                await trio.to_thread.run_sync(
                    lambda: cluster.ask(
                        at_worker.install, worker.address, msgspec.json.encode(files), packed(files)
                    ),
                    abandon_on_cancel=True,
                )
                worker.missing.discard(files.engine)

    def _soon(self, function: Callable[..., object], *arguments: object) -> None:
        """Call a function in the loop of this run. Any thread may call this."""
        assert self._token is not None
        try:
            self._token.run_sync_soon(self._call, function, *arguments)
        except trio.RunFinishedError:
            pass  # the run has ended

    def _call(self, function: Callable[..., object], *arguments: object) -> None:
        """Call a function, unless the run ends."""
        if self._nursery is not None:
            function(*arguments)

    def take_message(self, message: bytes) -> None:
        """Take a message of a worker, in a thread of Dask."""
        self._soon(self._take_events, message)

    def _take_events(self, message: bytes) -> None:
        events = decode_with(EVENTS, message)
        batch = self._batches.get(events.batch)
        if batch is not None:
            for event in events.events:
                self._event(batch, event)

    def _end(self, batch: Batch, future: Future[Any]) -> None:
        """Note the end of a batch."""
        assert self._nursery is not None
        self._nursery.start_soon(self._finish, batch, future)

    async def _finish(self, batch: Batch, future: Future[Any]) -> None:
        worker = batch.worker
        end: BatchEnd | None = None
        if future.status == "finished":
            with trio.move_on_after(_RESULT_SECONDS):
                end = await trio.to_thread.run_sync(_result, future, abandon_on_cancel=True)
        future.release()
        worker.batches.discard(batch)
        self._wake()  # another batch may begin
        if batch.jobs or batch.trials:
            await trio.sleep(_LATE_SECONDS)
        if batch.jobs and worker.ready:
            what = "the process of its batch ended" if end is None else f"its batch ended with {end.code}"
            text = f"{what}: {end.text}" if end is not None and end.text else what
            self._blame(worker, text)
            await self._end_without(batch, text)
            return
        await self._end_without(batch, f"worker {worker.name} has gone")

    async def _end_without(self, batch: Batch, text: str) -> None:
        """Let the games of a batch that have no result be played elsewhere."""
        batch.worker.batches.discard(batch)
        self._batches.pop(batch.name, None)
        self._lose(batch, text)
        self._wake()
        await trio.lowlevel.checkpoint()


def _result(future: Future[Any]) -> BatchEnd | None:
    """Return the result of a batch; None if the worker that had it has gone."""
    try:
        return decode_with(ENDS, future.result(timeout=_RESULT_SECONDS))
    except Exception:
        return None
