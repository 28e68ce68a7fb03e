"""The workers of a cluster: who is there, who can play, and the batches that they play."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

import msgspec
import trio

from arena.config import TournamentSpec
from arena.errors import ArenaError
from arena.run.engines import BUILD_SECONDS
from arena.run.executor import BatchEvent
from arena.workers import worker as at_worker
from arena.workers.batches import MOST_VOID, Batch, Batches, Worker
from arena.workers.capabilities import Capabilities, Prepared, prepare, refusal
from arena.workers.cluster import ANSWER_SECONDS, Cluster, ClusterLost
from arena.workers.speed import SpeedTest, scale_of
from protocol.words import counted
from referee.match.job import Job, TryOrder, decode_event, encode

CERTIFICATES: Final = "certificates"
"""The default folder of certificates, in the folder of the tournament file."""

_POLL_SECONDS: Final = 0.5  # seconds between two looks at the workers
_RETRY_SECONDS: Final = 2.0  # seconds between two attempts to reach the scheduler
SILENT_SECONDS: Final = 30.0  # a worker without a sign of life for this many seconds has gone


class Fleet:
    """The workers of a cluster; ``tell`` takes a name and a sentence, the rest is as in `Batches`."""

    def __init__(
        self,
        spec: TournamentSpec,
        tell: Callable[[str, str], None],
        event: Callable[[Batch, BatchEvent], None],
        lose: Callable[[Batch, str], None],
    ) -> None:
        self._spec = spec
        self._tell = tell
        self._lose = lose
        self._prepared: Prepared | None = None
        self._cluster: Cluster | None = None
        self._workers: dict[str, Worker] = {}
        self._refused: dict[str, str] = {}
        self._batches = Batches(spec.executor.cores, event, lose, self.blame, self._refuse, self.wake)
        self._news = trio.Event()
        self._nursery: trio.Nursery | None = None
        self._lonely = False

    # --- for the executor

    def wake(self) -> None:
        """Let `wait` return."""
        self._news.set()

    async def wait(self) -> None:
        """Wait until games may be given to workers: games came, a batch ended, or a worker is ready."""
        await self._news.wait()
        self._news = trio.Event()

    def ready(self) -> list[Worker]:
        """Return the workers that can play."""
        return [worker for worker in self._workers.values() if worker.ready]

    async def idle_worker(self, engine: str) -> Worker:
        """Wait for a worker that can play with an engine."""
        while True:
            for worker in self.ready():
                if worker.has(engine):
                    return worker
            await trio.sleep(_POLL_SECONDS / 5)

    async def watch(self, watched: bool) -> None:
        """Let workers send the plies of running games, or stop that."""
        self._batches.watched = watched
        if self._cluster is None:
            return
        tell = partial(self._cluster.watch, self._batches.topic, watched)
        with trio.move_on_after(_RETRY_SECONDS):  # a worker that hangs must not delay anything
            try:
                await trio.to_thread.run_sync(tell, abandon_on_cancel=True)
            except (ClusterLost, ArenaError):
                pass  # the workers hear of it with their next batches

    def blame(self, worker: Worker, text: str) -> None:
        """Note that a worker could not play a game. It gets no more games after `MOST_VOID` in a row."""
        worker.void += 1
        if worker.void >= MOST_VOID and worker.ready:
            self._refuse(worker, f"could not play {counted(worker.void, 'game')} in a row: {text}")

    # --- the life of the cluster

    async def supervise(self) -> None:
        """Stay connected, and look after the workers, until this is cancelled, or none of them can play."""
        async with trio.open_nursery() as self._nursery:
            with self._batches.running_in(self._nursery):
                await self._stay_connected()

    async def _stay_connected(self) -> None:
        """Connect, see which workers come and go, and connect again when the scheduler has gone."""
        await self.prepare(self._spec)
        first = True
        while True:
            try:
                await self._connect()
                if not first:
                    self._tell("cluster", "the scheduler is back")
                first = False
                while True:
                    await self._look()
                    await trio.sleep(_POLL_SECONDS)
            except ClusterLost as error:
                address = self._spec.executor.scheduler
                if first:
                    raise ArenaError(
                        f"the scheduler {address} does not answer ({error}); start it with `dask"
                        " scheduler`, or correct its address"
                    ) from None
                if self._cluster is not None:
                    self._tell("cluster", f"the scheduler {address} has gone ({error}); arena waits for it")
                await self._disconnect()
                await trio.sleep(_RETRY_SECONDS)
            finally:
                if self._cluster is not None:
                    with trio.CancelScope(shield=True):
                        await self._disconnect()

    async def prepare(self, spec: TournamentSpec) -> None:
        """Find out what the engines need, and ask all workers again.

        Meanwhile they go on to play with the engines that have not changed.
        """
        self._spec = spec
        before = {} if self._prepared is None else self._prepared.files
        self._prepared = await trio.to_thread.run_sync(prepare, spec, abandon_on_cancel=True)
        changed = {name for name, files in self._prepared.files.items() if before.get(name) != files}
        for worker in list(self._workers.values()):
            worker.unknown |= changed
            self._examine_soon(worker)

    async def _connect(self) -> None:
        keys = self._spec.executor
        assert keys.scheduler is not None
        folder = self._spec.path.parent / (keys.certificates or CERTIFICATES)
        connect = partial(Cluster, keys.scheduler, folder, self._batches.topic, self._batches.take_message)
        self._cluster = await trio.to_thread.run_sync(connect, abandon_on_cancel=True)

    async def _disconnect(self) -> None:
        cluster, self._cluster = self._cluster, None
        for worker in list(self._workers.values()):
            self._forget(worker, "the scheduler has gone")
        self._refused.clear()
        if cluster is not None:
            await trio.to_thread.run_sync(cluster.close)

    async def _look(self) -> None:
        """See which workers came and went."""
        assert self._cluster is not None
        found = await trio.to_thread.run_sync(self._cluster.workers, abandon_on_cancel=True)
        alive = {seen.address: seen for seen in found if seen.silent < SILENT_SECONDS}
        for address in self._workers.keys() - alive.keys():
            worker = self._workers[address]
            games = sum(len(batch.jobs) for batch in worker.batches)
            why = "gives no sign of life" if address in {seen.address for seen in found} else "has gone"
            if games:
                self._tell(worker.name, f"this worker {why}; other workers play its {counted(games, 'game')}")
            self._forget(worker, f"its worker {worker.name} {why}")
        for address, seen in alive.items():
            if address not in self._workers:
                self._workers[address] = worker = Worker(address, seen.name.rpartition("://")[2])
                self._examine_soon(worker)
        if not self._workers and not self._lonely:
            command = f"arena worker {self._spec.executor.scheduler}"
            self._tell("cluster", f"there is no worker yet; start some with `{command}`")
        self._lonely = not self._workers

    def _forget(self, worker: Worker, why: str) -> None:
        """Give up a worker and its batches. A result that it still sends counts if it is the first."""
        worker.ready = False
        del self._workers[worker.address]
        self._refused.pop(worker.address, None)
        for batch in list(worker.batches):
            self._lose(batch, why)
        worker.batches.clear()
        self.wake()

    # --- examining workers

    def _examine_soon(self, worker: Worker) -> None:
        self._refused.pop(worker.address, None)
        assert self._nursery is not None
        self._nursery.start_soon(self._examine, worker)

    async def _examine(self, worker: Worker) -> None:
        """Find out whether a worker can play."""
        cluster, prepared = self._cluster, self._prepared
        if cluster is None or prepared is None:
            return
        needs, asked, lacks = prepared.needs, time.time(), dict[str, str]()
        ask = partial(cluster.ask, at_worker.announce, worker.address, msgspec.json.encode(needs))
        try:
            answer = await trio.to_thread.run_sync(ask, abandon_on_cancel=True)
            found = msgspec.json.decode(answer, type=Capabilities)
            problem = refusal(needs, found, asked, time.time())
            if not problem:
                worker.missing = set(found.missing)
                worker.cores = found.cores
                lacks = found.problems | await self._build(cluster, prepared, worker, found.problems)
                if prepared.speed is not None and not worker.ready:  # one that plays is no measure
                    problem = await self._measure(cluster, prepared, worker, prepared.speed, lacks)
        except ClusterLost:
            return  # the worker has gone; if it comes back, it is asked again
        except (ArenaError, msgspec.MsgspecError) as error:
            problem = f"cannot say what it can do; install leapfrog-arena[dask] as on the hub ({error})"
        if self._workers.get(worker.address) is not worker or prepared is not self._prepared:
            return
        if problem:
            self._refuse(worker, problem)
            return
        worker.lacks, worker.unknown, worker.ready = lacks, set(), True
        for engine, text in worker.lacks.items():
            self._tell(worker.name, f"this worker cannot play with {engine}: {text}")
        self._check_hope()
        self.wake()

    async def _build(
        self, cluster: Cluster, prepared: Prepared, worker: Worker, lacks: Mapping[str, str]
    ) -> dict[str, str]:
        """Let a worker build the engines that are built where they play; return why it cannot build some."""
        problems: dict[str, str] = {}
        for name, files in prepared.files.items():
            if not files.build or name in lacks:
                continue
            await self._batches.send_files(cluster, worker, files)
            given = worker.address, msgspec.json.encode(files)
            build = partial(cluster.ask, at_worker.build, *given, seconds=BUILD_SECONDS + ANSWER_SECONDS)
            if problem := await trio.to_thread.run_sync(build, abandon_on_cancel=True):
                problems[name] = problem
        return problems

    async def _measure(
        self,
        cluster: Cluster,
        prepared: Prepared,
        worker: Worker,
        speed: SpeedTest,
        lacks: Mapping[str, str],
    ) -> str:
        """Measure the speed of a worker. Return why it is unusable; "" if it is not."""
        engine = speed.job.seats[0].engine.name
        if engine in lacks:
            return f"cannot play with {engine}: {lacks[engine]}"
        task = await self._batches.task(cluster, prepared, worker, "", [speed.job])
        answer = await trio.to_thread.run_sync(
            cluster.ask, at_worker.measure, worker.address, encode(task), abandon_on_cancel=True
        )
        scale = scale_of(speed, decode_event(answer)) if answer else None
        if scale is None:
            return (
                f"cannot be compared with the hub: {engine} does not search there,"
                " or searches at quite another speed"
            )
        worker.scale = scale
        return ""

    def _refuse(self, worker: Worker, problem: str) -> None:
        """Give a worker no more games."""
        worker.ready = False
        self._refused[worker.address] = f"worker {worker.name} {problem}"
        self._tell(worker.name, f"this worker {problem}")
        self._check_hope()

    def _check_hope(self) -> None:
        """When all workers have been examined, end the run if none of them can play the tournament."""
        ready = self.ready()
        if len(ready) + len(self._refused) < len(self._workers):
            return
        if not ready:
            self._fail(f"no worker can play this tournament: {'; '.join(self._refused.values())}")
        for name in [entry.spec.name for entry in self._spec.engines] if ready else []:
            if all(name in worker.lacks and name not in worker.unknown for worker in ready):
                reasons = "; ".join(f"worker {worker.name}: {worker.lacks[name]}" for worker in ready)
                self._fail(f"no worker can play with {name}: {reasons}")
                return

    def _fail(self, text: str) -> None:
        """End the run with an error."""
        assert self._nursery is not None
        self._nursery.start_soon(_fail, text)

    async def play(self, worker: Worker, jobs: Mapping[str, Job], trials: Sequence[TryOrder]) -> None:
        """Let a worker play games, or try engines."""
        assert self._prepared is not None
        await self._batches.play(self._cluster, self._prepared, worker, jobs, trials)


async def _fail(text: str) -> None:
    await trio.lowlevel.checkpoint()
    raise ArenaError(text)
