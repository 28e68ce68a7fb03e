"""The workers of a cluster: who is there, who can play, and the batches that they play."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec
import trio

from arena.config import TournamentSpec
from arena.errors import ArenaError
from arena.run.batch import BatchOrder
from arena.run.executors.dask.capabilities import Capabilities, lacks, refusal
from arena.run.executors.dask.engine_files import EngineFiles, FileHashes, packed
from arena.run.executors.dask.messages import BatchEnd, BatchTask, decode_end, decode_events
from arena.run.executors.dask.preparation import (
    Prepared,
    SpeedTest,
    engine_files,
    prepare,
    scale_of,
    scaled,
)
from arena.run.executors.dask.workers import MOST_VOID, Batch, Worker
from arena.run.executors.interface import BatchEvent
from protocol.plurals import counted
from referee.match.job import Job, TryOrder, decode_event, encode

if TYPE_CHECKING:
    from distributed import Future

    from arena.run.executors.dask.cluster import Cluster, SeenWorker

__all__ = ["CERTIFICATES", "Fleet"]

CERTIFICATES: Final = "certificates"
"""The default folder of certificates, in the folder of the tournament file."""

_POLL_SECONDS: Final = 0.5
"""Seconds between two looks at the workers."""

_RETRY_SECONDS: Final = 2.0
"""Seconds between two attempts to reach the scheduler."""

_LATE_SECONDS: Final = 0.5
"""Seconds that the events of a batch may come after its end."""

SILENT_SECONDS: Final = 30.0
"""A worker without a sign of life for so long has gone."""


class Fleet:
    """The workers of a cluster.

    Args:
        spec: the tournament.
        tell: called with a name and a sentence for the user.
        event: called with every event of a batch.
        lose: called with a batch that has ended, and why, if games of it may have no result.
    """

    def __init__(
        self,
        spec: TournamentSpec,
        tell: Callable[[str, str], None],
        event: Callable[[Batch, BatchEvent], None],
        lose: Callable[[Batch, str], None],
    ) -> None:
        self._spec = spec
        self._tell = tell
        self._event = event
        self._lose = lose
        self._hashes = FileHashes()
        self._prepared: Prepared | None = None
        self._cluster: Cluster | None = None
        self._topic = f"arena-{uuid.uuid4().hex}"
        self._workers: dict[str, Worker] = {}
        self._refused: dict[str, str] = {}
        self._batches: dict[str, Batch] = {}
        self._number = 0
        self._news = trio.Event()
        self._sending = trio.Lock()
        self._token: trio.lowlevel.TrioToken | None = None
        self._nursery: trio.Nursery | None = None
        self._lonely = False
        self._watched = False

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
                if engine not in worker.lacks:
                    return worker
            await trio.sleep(_POLL_SECONDS / 5)

    async def watch(self, watched: bool) -> None:
        """Let workers send the plies of running games, or stop that."""
        from arena.run.executors.dask.cluster import ClusterLost

        self._watched = watched
        if self._cluster is None:
            return
        tell = partial(self._cluster.watch, self._topic, watched)
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
        """Stay connected, and look after the workers, until this is cancelled.

        Raises:
            ArenaError: the scheduler does not answer at the beginning, or no worker can play.
        """
        self._token = trio.lowlevel.current_trio_token()
        from arena.run.executors.dask.cluster import ClusterLost

        async with trio.open_nursery() as self._nursery:
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
                        self._tell(
                            "cluster", f"the scheduler {address} has gone ({error}); arena waits for it"
                        )
                    await self._disconnect()
                    await trio.sleep(_RETRY_SECONDS)
                finally:
                    if self._cluster is not None:
                        with trio.CancelScope(shield=True):
                            await self._disconnect()

    async def prepare(self, spec: TournamentSpec) -> None:
        """Find out what the engines need, and ask all workers again."""
        self._spec = spec
        self._prepared = await trio.to_thread.run_sync(prepare, spec, self._hashes, abandon_on_cancel=True)
        for worker in list(self._workers.values()):
            worker.ready = False
            self._examine_soon(worker)

    async def _connect(self) -> None:
        from arena.run.executors.dask.cluster import Cluster

        keys = self._spec.executor
        assert keys.scheduler is not None
        folder = self._spec.path.parent / (keys.certificates or CERTIFICATES)
        connect = partial(Cluster, keys.scheduler, folder, self._topic, self._take_message)
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
                self._workers[address] = worker = Worker(address, self._name(seen))
                self._examine_soon(worker)
        if not self._workers and not self._lonely:
            command = f"arena worker {self._spec.executor.scheduler}"
            self._tell("cluster", f"there is no worker yet; start some with `{command}`")
        self._lonely = not self._workers

    def _name(self, seen: SeenWorker) -> str:
        """Return a name for a worker that no other worker has."""
        taken = {worker.name for worker in self._workers.values()}
        plain = seen.name if seen.name != seen.address else seen.address.partition("://")[2]
        return plain if plain not in taken else f"{plain} ({seen.address.partition('://')[2]})"

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
        from arena.run.executors.dask.cluster import ClusterLost

        cluster, prepared = self._cluster, self._prepared
        if cluster is None or prepared is None:
            return
        needs, asked = prepared.needs, time.time()
        ask = partial(cluster.announce, worker.address, msgspec.json.encode(needs))
        try:
            answer = await trio.to_thread.run_sync(ask, abandon_on_cancel=True)
            found = msgspec.json.decode(answer, type=Capabilities)
            problem = refusal(needs, found, asked, time.time())
            if not problem:
                worker.lacks, worker.missing, worker.cores = (
                    lacks(needs, found),
                    set(found.missing),
                    found.cores,
                )
                if prepared.speed is not None:
                    problem = await self._measure(cluster, worker, prepared.speed)
        except (ClusterLost, msgspec.MsgspecError):
            return  # it has gone, or will be asked again
        except ArenaError as error:
            problem = f"cannot say what it can do; install leapfrog-arena[dask] as on the hub ({error})"
        if worker.address not in self._workers or prepared is not self._prepared:
            return
        if problem:
            self._refuse(worker, problem)
            return
        worker.ready = True
        for engine, text in worker.lacks.items():
            self._tell(worker.name, f"this worker cannot play with {engine}: {text}")
        self._check_hope()
        self.wake()

    async def _measure(self, cluster: Cluster, worker: Worker, speed: SpeedTest) -> str:
        """Measure the speed of a worker. Return why it is unusable; "" if it is not."""
        engine = speed.job.seats[0].engine.name
        if engine in worker.lacks:
            return f"cannot play with {engine}: {worker.lacks[engine]}"
        task = await self._task(cluster, worker, "", [speed.job])
        answer = await trio.to_thread.run_sync(
            cluster.measure, worker.address, encode(task), abandon_on_cancel=True
        )
        scale = scale_of(speed, decode_event(answer)) if answer else None
        if scale is None:
            return (
                f"cannot be compared with the hub: {engine} does not search there, or at another speed by far"
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
        """End the run if the tournament cannot be played, when all workers have been examined."""
        ready = self.ready()
        if len(ready) + len(self._refused) < len(self._workers):
            return
        if not ready:
            self._fail(f"no worker can play this tournament: {'; '.join(self._refused.values())}")
        for name in [entry.spec.name for entry in self._spec.engines] if ready else []:
            if all(name in worker.lacks for worker in ready):
                reasons = "; ".join(f"worker {worker.name}: {worker.lacks[name]}" for worker in ready)
                self._fail(f"no worker can play with {name}: {reasons}")
                return

    def _fail(self, text: str) -> None:
        """End the run with an error."""
        assert self._nursery is not None
        self._nursery.start_soon(_fail, text)

    # --- batches

    async def play(self, worker: Worker, jobs: Mapping[str, Job], trials: Sequence[TryOrder]) -> None:
        """Let a worker play games, or try engines."""
        self._number += 1
        batch = Batch(f"{self._number}", worker, dict(jobs), frozenset(order.id for order in trials))
        self._batches[batch.name] = batch
        worker.batches.add(batch)
        assert self._nursery is not None
        orders: list[BatchOrder] = [*trials, *jobs.values()]
        self._nursery.start_soon(self._start, batch, orders)
        await trio.lowlevel.checkpoint()

    async def _start(self, batch: Batch, orders: Sequence[BatchOrder]) -> None:
        """Send a batch to its worker, after the files of its engines."""
        from arena.run.executors.dask.cluster import ClusterLost

        cluster, worker = self._cluster, batch.worker
        try:
            if cluster is None:
                raise ClusterLost("the scheduler has gone")
            task = await self._task(cluster, worker, batch.name, orders)
            done = partial(self._soon, self._end, batch)
            await trio.to_thread.run_sync(cluster.play, worker.address, encode(task), done)
        except ClusterLost:
            await self._end_without(batch, "its worker has gone")
        except ArenaError as error:
            if batch in worker.batches:
                self._refuse(worker, f"does not take games: {error}")
            await self._end_without(batch, str(error))

    async def _task(
        self, cluster: Cluster, worker: Worker, name: str, orders: Sequence[BatchOrder]
    ) -> BatchTask:
        """Return a batch for a worker that has the files of its engines.

        Raises:
            ClusterLost, ArenaError: the worker does not take the files.
        """
        assert self._prepared is not None
        files = engine_files(self._prepared, orders)
        async with (
            self._sending
        ):  # the files of one engine are sent once, and at most one archive is in memory
            for each in files:
                if each.engine in worker.missing:
                    send = partial(_send_files, cluster, worker.address, each)
                    await trio.to_thread.run_sync(send, abandon_on_cancel=True)
                    worker.missing.discard(each.engine)
        adapted = tuple(scaled(order, worker.scale) for order in orders) if name else tuple(orders)
        return BatchTask(name, self._topic, adapted, self._spec.executor.cores, files, self._watched)

    def _soon(self, function: Callable[..., object], *arguments: object) -> None:
        """Call a function in the loop of this run. Any thread may call this."""
        assert self._token is not None
        try:
            self._token.run_sync_soon(function, *arguments)
        except trio.RunFinishedError:
            pass  # the run has ended

    def _take_message(self, message: bytes) -> None:
        """Take a message of a worker, in a thread of Dask."""
        self._soon(self._take_events, message)

    def _take_events(self, message: bytes) -> None:
        events = decode_events(message)
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
            with trio.move_on_after(_RETRY_SECONDS):
                end = await trio.to_thread.run_sync(_result, future, abandon_on_cancel=True)
        future.release()
        worker.batches.discard(batch)
        self.wake()  # another batch may begin
        if batch.jobs or batch.trials:
            await trio.sleep(_LATE_SECONDS)
        self._batches.pop(batch.name, None)
        if batch.jobs and worker.ready and worker.address in self._workers:
            what = "the process of its batch ended" if end is None else f"its batch ended with {end.code}"
            text = f"{what}: {end.text}" if end is not None and end.text else what
            self.blame(worker, text)
            await self._end_without(batch, text)
            return
        await self._end_without(batch, f"worker {worker.name} has gone")

    async def _end_without(self, batch: Batch, text: str) -> None:
        """Let the games of a batch that have no result be played elsewhere."""
        batch.worker.batches.discard(batch)
        self._lose(batch, text)
        self.wake()
        await trio.lowlevel.checkpoint()


async def _fail(text: str) -> None:
    await trio.lowlevel.checkpoint()
    raise ArenaError(text)


def _send_files(cluster: Cluster, worker: str, files: EngineFiles) -> None:
    cluster.install(worker, msgspec.json.encode(files), packed(files))


def _result(future: Future[Any]) -> BatchEnd | None:
    """Return the result of a batch; None if the worker that had it has gone."""
    try:
        return decode_end(future.result(timeout=_RETRY_SECONDS))
    except Exception:
        return None
