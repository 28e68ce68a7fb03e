"""The executor for a Dask scheduler: gives games to workers in batches, and takes one result of each game."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

import msgspec
import trio

from arena.config import TournamentSpec
from arena.errors import ArenaError
from arena.run.batch import BatchOrder, engines_of
from arena.run.engines import BUILD_SECONDS
from arena.run.executor import BatchEvent, Executor, ExecutorEvent, JobLost
from arena.workers import worker as at_worker
from arena.workers.batch_process import BatchEnd, BatchTask
from arena.workers.capabilities import Capabilities, Needs, needs_of, refusal
from arena.workers.engine_files import EngineFiles, packed
from arena.workers.scheduler import ANSWER_SECONDS, Scheduler, SchedulerLost, connect
from arena.workers.waiting import GameTimes, WaitingJobs, batch_size
from protocol.spec import EngineSpec
from protocol.words import counted
from referee import game
from referee.match.job import (
    EngineTried,
    EngineWarning,
    Job,
    JobFinished,
    JobStarted,
    OrderRefused,
    Snapshot,
    TryOrder,
    VoidCause,
)

CERTIFICATES: Final = "certificates"
"""The default folder of certificates, in the folder of the tournament file."""

MOST_VOID: Final = 3
"""A worker gets no more games after this many games in a row were void because of its machine."""

SILENT_SECONDS: Final = 30.0  # a worker without a sign of life for this many seconds has gone
_POLL_SECONDS: Final = 0.5  # seconds between two looks at the workers
_RETRY_SECONDS: Final = 2.0  # seconds between two attempts to reach the scheduler
_SETTLE_SECONDS: Final = 0.02
"""Seconds from the first waiting game to its batch. The other game of its pair comes within this time."""

_MOST_LOSSES: Final = 3  # a game that was lost with this many workers may itself be the cause
_WARNINGS: Final = 1000  # the most warnings that are remembered, so that they are not repeated
_SPARE: Final = 2
"""For each batch that can run, the games of this many batches are taken from the schedule."""


@dataclass(slots=True, eq=False)
class Batch:
    """Games that a worker plays, those that have not ended by id; or an engine that it tries."""

    worker: KnownWorker
    jobs: dict[str, Job]
    problem: str | None = None  # of the engine that was tried
    over: trio.Event = field(default_factory=trio.Event)  # the engine was tried, or the batch is given up
    scope: trio.CancelScope = field(default_factory=trio.CancelScope)  # cancelled when its worker is lost


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
    batches: set[Batch] = field(default_factory=set)
    void: int = 0  # games in a row that were void because of its machine

    def slots(self, cores: int) -> int:
        """Return how many batches it plays at the same time if each game has ``cores`` cores."""
        return max(self.cores // cores, 1)

    def can_play(self, job: Job) -> bool:
        """Return whether it has the engines of a game."""
        return all(self.has(seat.engine.name) for seat in job.seats)

    def has(self, engine: str) -> bool:
        """Return whether it is known that it can play with an engine."""
        return engine not in self.lacks and engine not in self.unknown

    async def examine(self, needs: Needs) -> tuple[str, dict[str, str]]:
        """Return why it cannot play ("" if it can), and why with some engines; it builds what it must."""
        answer = await self.scheduler.ask(at_worker.announce, self.address, msgspec.json.encode(needs))
        can = msgspec.json.decode(answer, type=Capabilities)
        if problem := refusal(needs, can):
            return problem, {}
        self.missing, self.cores = set(can.missing), can.cores
        problems = dict(can.problems)
        for files in needs.engines:
            if files.build and files.engine not in problems and (problem := await self._build(files)):
                problems[files.engine] = problem
        return "", problems

    async def _build(self, files: EngineFiles) -> str:
        """Let it build an engine from its files; return why it cannot; "" if it can."""
        await self._send_files(files)
        asked, seconds = msgspec.json.encode(files), BUILD_SECONDS + ANSWER_SECONDS
        problem: str = await self.scheduler.ask(at_worker.build, self.address, asked, seconds=seconds)
        return problem

    async def task(self, needs: Needs, orders: Sequence[BatchOrder]) -> BatchTask:
        """Send it the files that it lacks, and return its batch."""
        names = {engine.name for order in orders for engine in engines_of(order)}
        engines = tuple(files for files in needs.engines if files.engine in names)
        for files in engines:
            await self._send_files(files)
        return BatchTask(tuple(orders), needs.cores, engines)

    async def _send_files(self, files: EngineFiles) -> None:
        """Send it the files of an engine, if it lacks them."""
        async with self.scheduler.sending:  # they are sent once, and at most one archive is in memory
            if files.engine in self.missing:
                archive = await trio.to_thread.run_sync(packed, files, abandon_on_cancel=True)
                asked = msgspec.json.encode(files)
                await self.scheduler.ask(at_worker.install, self.address, asked, archive)
                self.missing.discard(files.engine)


@asynccontextmanager
async def open_cluster(spec: TournamentSpec) -> AsyncIterator[Cluster]:
    """Play games on the workers of a scheduler; at the end of the context they stop what they play.

    A group has an `ArenaError`, if the scheduler does not answer or is not safe, or no worker can play.
    """
    async with trio.open_nursery() as nursery:
        cluster = Cluster(spec, nursery)
        nursery.start_soon(cluster.supervise)
        yield cluster
        nursery.cancel_scope.cancel()


class Cluster(Executor):
    """Plays games on the workers of a scheduler. A game is with one worker at a time."""

    many_machines = True

    def __init__(self, spec: TournamentSpec, nursery: trio.Nursery) -> None:
        self._send, self.events = trio.open_memory_channel[ExecutorEvent](math.inf)
        self._spec = spec
        self._nursery = nursery
        self._needs: Needs | None = None
        self._scheduler: Scheduler | None = None  # None while it is away
        self._workers: dict[str, KnownWorker] = {}  # by their addresses
        self._lonely = False  # the user knows that there is no worker
        self._seats = max(game(game_id).info.players for game_id in spec.games)
        self._waiting = WaitingJobs()
        self._open = 0  # how many games wait or are played
        self._losses: Counter[str] = Counter()
        self._times = GameTimes()
        # Each batch starts its engines, which warn again.
        self._warnings: deque[tuple[str, str]] = deque(maxlen=_WARNINGS)
        self._news = trio.lowlevel.ParkingLot()  # who waits for games, for room, or for another worker

    # --- what a run asks for

    @property
    def count(self) -> int:
        """How many games run at the same time."""
        return sum(worker.slots(self._spec.executor.cores) for worker in self._ready())

    @property
    def room(self) -> int:
        """How many games the executor takes."""
        return max(self.count, 1) * _SPARE * max(self._times.wanted, self._seats)

    async def submit(self, job: Job) -> None:
        """Take a game."""
        self._open += 1
        self._waiting.add(job)
        self._news.unpark_all()
        await trio.lowlevel.checkpoint()

    async def recall(self) -> list[str]:
        """Give back the ids of the games that no worker has."""
        await trio.lowlevel.checkpoint()
        ids = self._waiting.clear()
        for id_ in ids:
            self._close(id_)
        if ids:
            self._wake_run()
        return ids

    async def change(self, spec: TournamentSpec) -> None:
        """Find out what the engines need, and ask all workers again.

        Meanwhile they go on to play with the engines that have not changed.
        """
        self._spec = spec
        before = () if self._needs is None else self._needs.engines
        self._needs = await trio.to_thread.run_sync(needs_of, spec, abandon_on_cancel=True)
        changed = {files.engine for files in self._needs.engines if files not in before}
        for worker in self._workers.values():
            worker.unknown |= changed
            worker.refused = ""
            self._nursery.start_soon(self._examine, worker)

    async def try_engine(self, engine: EngineSpec, game: str) -> str:
        """Try an engine on a worker that has it; if none can, its first game will show why."""
        for _ in range(_MOST_LOSSES):
            worker = await self._worker_with(engine.name)
            batch = self._start_batch(worker, [TryOrder("try", engine, game)])
            await batch.over.wait()
            if batch.problem is not None:
                return batch.problem
        return ""

    async def _worker_with(self, engine: str) -> KnownWorker:
        """Wait for a worker that can play with an engine."""
        while True:
            for worker in self._ready():
                if worker.has(engine):
                    return worker
            await self._news.park()

    # --- events for the run

    def _tell(self, name: str, text: str) -> None:
        """Tell the user something about a worker or the cluster."""
        self._send.send_nowait(EngineWarning(name, text))

    def _wake_run(self) -> None:
        """Let the run check how many games may run now: there may be more workers."""
        self._send.send_nowait(Snapshot(()))

    # --- a batch

    async def _hand_out(self) -> None:
        """Let each worker that has room start its next batch, until this is cancelled."""
        while True:
            await self._news.park()
            await trio.sleep(_SETTLE_SECONDS)
            for worker in self._ready():
                while jobs := self._next_games(worker):
                    self._start_batch(worker, jobs)

    def _next_games(self, worker: KnownWorker) -> list[Job]:
        """Return the games of the next batch of a worker; none if it may not start another now."""
        free = worker.ready and len(worker.batches) < worker.slots(self._spec.executor.cores)
        if not free or not len(self._waiting):
            return []
        most = batch_size(self._times, len(self._waiting), self.count)
        more_come = self._open >= self.room  # else no more games for now
        return self._waiting.take(most, worker.can_play, more_come=more_come)

    def _start_batch(self, worker: KnownWorker, orders: Sequence[BatchOrder]) -> Batch:
        """Let a worker play games, or try an engine."""
        batch = Batch(worker, {order.id: order for order in orders if isinstance(order, Job)})
        worker.batches.add(batch)
        self._nursery.start_soon(self._play, batch, orders)
        return batch

    async def _play(self, batch: Batch, orders: Sequence[BatchOrder]) -> None:
        """Send a batch to its worker, and take what happens in it until the worker is lost."""
        worker = batch.worker
        assert self._needs is not None
        why, end = f"its worker {worker.name} has gone", None
        with batch.scope:
            try:
                task = await worker.task(self._needs, orders)
                async with worker.scheduler.play(worker.address, task) as messages:
                    async for message in messages:
                        for event in message.events:
                            self._take_event(batch, event)
                        end = message.end
                if batch.jobs:
                    why = _ended(end)
                    self._blame(worker, why)
            except SchedulerLost:
                pass
            except ArenaError as error:
                why = str(error)
                self._refuse(worker, f"does not take games: {error}")
        worker.batches.discard(batch)
        self._give_up(batch, why)

    def _take_event(self, batch: Batch, event: BatchEvent) -> None:
        match event:
            case JobFinished(id) if batch.jobs.pop(id, None):  # else it came twice
                self._finish(batch.worker, event)
            case JobStarted(id) if id in batch.jobs:
                self._send.send_nowait(JobStarted(id, batch.worker.name))
            case JobLost(id) | OrderRefused(id) if batch.jobs.pop(id, None):
                self._close(id)
                self._send.send_nowait(event)
            case EngineTried():
                batch.problem = event.problem
                batch.over.set()
            case EngineWarning(engine, text) if (engine, text) not in self._warnings:
                self._warnings.append((engine, text))
                self._send.send_nowait(event)
            case Snapshot():
                self._send.send_nowait(event)

    def _finish(self, worker: KnownWorker, finished: JobFinished) -> None:
        """Take a result."""
        self._close(finished.id)
        if finished.void is VoidCause.MACHINE:
            self._blame(worker, finished.detail)
        else:
            worker.void = 0
            self._times.add(finished.duration / 1e9)
        self._send.send_nowait(msgspec.structs.replace(finished, worker=worker.name))

    def _close(self, id_: str) -> None:
        """Forget a game."""
        self._losses.pop(id_, None)
        self._open -= 1

    def _give_up(self, batch: Batch, why: str) -> None:
        """Let other workers play the games of a batch that have no result."""
        again = []
        for job in batch.jobs.values():
            self._losses[job.id] += 1
            if self._losses[job.id] < _MOST_LOSSES:
                again.append(job)
            else:
                self._close(job.id)
                self._send.send_nowait(JobLost(job.id, why))
        batch.jobs.clear()
        batch.over.set()
        self._waiting.put_back(again)
        self._news.unpark_all()

    # --- a worker

    def _ready(self) -> list[KnownWorker]:
        """Return the workers that can play."""
        return [worker for worker in self._workers.values() if worker.ready]

    async def _examine(self, worker: KnownWorker) -> None:
        """Find out whether a worker can play."""
        needs = self._needs
        assert needs is not None
        try:
            problem, lacks = await worker.examine(needs)
        except SchedulerLost:
            return  # the worker has gone; if it comes back, it is asked again
        except (ArenaError, msgspec.MsgspecError) as error:
            problem, lacks = (
                f"cannot say what it can do; install leapfrog-arena[dask] as on the hub ({error})",
                {},
            )
        if self._workers.get(worker.address) is not worker or needs is not self._needs:
            return
        if problem:
            self._refuse(worker, problem)
            return
        worker.lacks, worker.unknown, worker.ready = lacks, set(), True
        for engine, text in lacks.items():
            self._tell(worker.name, f"this worker cannot play with {engine}: {text}")
        self._check_hope()
        self._news.unpark_all()
        self._wake_run()

    def _blame(self, worker: KnownWorker, text: str) -> None:
        """Note that a worker could not play a game. It gets no more games after `MOST_VOID` in a row."""
        worker.void += 1
        if worker.void >= MOST_VOID and worker.ready:
            self._refuse(worker, f"could not play {counted(worker.void, 'game')} in a row: {text}")

    def _refuse(self, worker: KnownWorker, problem: str) -> None:
        """Give a worker no more games."""
        worker.ready = False
        worker.refused = f"worker {worker.name} {problem}"
        self._tell(worker.name, f"this worker {problem}")
        self._check_hope()

    def _check_hope(self) -> None:
        """When all workers have been examined, end the run if none of them can play the tournament."""
        ready = self._ready()
        refused = [worker.refused for worker in self._workers.values() if worker.refused]
        if len(ready) + len(refused) < len(self._workers):
            return
        if not ready:
            self._fail(f"no worker can play this tournament: {'; '.join(refused)}")
        for name in [entry.spec.name for entry in self._spec.engines] if ready else []:
            if all(name in worker.lacks and name not in worker.unknown for worker in ready):
                reasons = "; ".join(f"worker {worker.name}: {worker.lacks[name]}" for worker in ready)
                self._fail(f"no worker can play with {name}: {reasons}")
                return

    def _fail(self, text: str) -> None:
        """End the run with an error."""

        async def fail() -> None:
            await trio.sleep(_SETTLE_SECONDS)  # the run reads its earlier events
            raise ArenaError(text)

        self._nursery.start_soon(fail)

    def _forget(self, worker: KnownWorker) -> None:
        """Give up a worker and its batches."""
        worker.ready = False
        del self._workers[worker.address]
        for batch in worker.batches:
            batch.scope.cancel()

    # --- all workers

    async def supervise(self) -> None:
        """Look after the workers until this is cancelled; connect again when the scheduler has gone."""
        self._nursery.start_soon(self._hand_out)
        await self.change(self._spec)
        keys, answered = self._spec.executor, False
        assert keys.scheduler is not None
        certificates = self._spec.path.parent / (keys.certificates or CERTIFICATES)
        while True:
            try:
                self._scheduler = await connect(keys.scheduler, certificates)
                if answered:
                    self._tell("cluster", "the scheduler is back")
                answered = True
                while True:
                    await self._look(self._scheduler)
                    await trio.sleep(_POLL_SECONDS)
            except SchedulerLost as error:
                where = f"the scheduler {keys.scheduler}"
                if not answered:
                    raise ArenaError(
                        f"{where} does not answer ({error}); start it with `dask scheduler`, or correct its"
                        " address"
                    ) from None
                if self._scheduler is not None:
                    self._tell("cluster", f"{where} has gone ({error}); arena waits for it")
            finally:
                await self._disconnect()
            await trio.sleep(_RETRY_SECONDS)

    async def _disconnect(self) -> None:
        scheduler, self._scheduler = self._scheduler, None
        for worker in list(self._workers.values()):
            self._forget(worker)
        if scheduler is not None:
            await scheduler.close()

    async def _look(self, scheduler: Scheduler) -> None:
        """See which workers came and went."""
        seen = {each.address: each for each in await scheduler.workers()}
        alive = {address: each for address, each in seen.items() if each.silent < SILENT_SECONDS}
        for worker in [each for address, each in self._workers.items() if address not in alive]:
            games = sum(len(batch.jobs) for batch in worker.batches)
            why = "gives no sign of life" if worker.address in seen else "has gone"
            if games:
                self._tell(worker.name, f"this worker {why}; other workers play its {counted(games, 'game')}")
            self._forget(worker)
        for address in [each for each in alive if each not in self._workers]:
            worker = KnownWorker(scheduler, address, alive[address].name.rpartition("://")[2])
            self._workers[address] = worker
            self._nursery.start_soon(self._examine, worker)
        if not self._workers and not self._lonely:
            command = f"arena worker {self._spec.executor.scheduler}"
            self._tell("cluster", f"there is no worker yet; start some with `{command}`")
        self._lonely = not self._workers


def _ended(end: BatchEnd | None) -> str:
    """Say how a batch ended in which games have no result."""
    if end is None:
        return "the process of its batch ended"
    return f"its batch ended with {end.code}: {end.text}" if end.text else f"its batch ended with {end.code}"
