"""The executor for a Dask scheduler: gives games to workers in batches, and takes one result of each game."""

from __future__ import annotations

import math
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Hashable, Iterable
from contextlib import asynccontextmanager
from itertools import count
from typing import Final

import trio

from arena.config import TournamentSpec
from arena.run.executor import BatchEvent, Executor, ExecutorEvent, JobLost, JobPlayed
from arena.workers.batches import Batch
from arena.workers.fleet import Fleet
from protocol.spec import EngineSpec
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

_SETTLE_SECONDS: Final = 0.02
"""Seconds from the first waiting game to its batch. The other game of its pair comes within this time."""

_MOST_LOSSES: Final = 3  # a game that was lost with this many workers may itself be the cause
_WARNINGS: Final = 1000  # the most warnings that are remembered, so that they are not repeated
_SPARE: Final = 2
"""For each batch that can run at once, the games of this many batches are taken from the schedule."""


class DaskExecutor(Executor):
    """Plays games on the workers of a cluster; the result of a game that comes first counts."""

    many_machines = True

    def __init__(self, spec: TournamentSpec) -> None:
        self._send, self.events = trio.open_memory_channel[ExecutorEvent](math.inf)
        self._cores = spec.executor.cores
        self._seats = max(game(game_id).info.players for game_id in spec.games)
        self._fleet = Fleet(spec, self._tell, self._take_event, self._lose)
        self._waiting = WaitingJobs()
        self._open: dict[str, Job] = {}
        self._losses: Counter[str] = Counter()
        self._times = GameTimes()
        # Each batch starts its engines anew, and warns again.
        self._warnings: deque[tuple[str, str]] = deque(maxlen=_WARNINGS)
        self._trials: dict[str, trio.MemorySendChannel[str | None]] = {}
        self._trial_numbers = count(1)

    # --- what a run asks for

    @property
    def count(self) -> int:
        """How many games run at once."""
        return sum(worker.slots(self._cores) for worker in self._fleet.ready())

    @property
    def room(self) -> int:
        """How many games the executor takes at once."""
        return max(self.count, 1) * _SPARE * max(self._times.wanted, self._seats)

    async def submit(self, job: Job) -> None:
        """Take a game."""
        self._open[job.id] = job
        self._waiting.add(job)
        self._fleet.wake()
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

    async def watch(self, watched: bool) -> None:
        """Let workers send the plies of their games once a second, or stop that."""
        await self._fleet.watch(watched)

    async def change(self, spec: TournamentSpec) -> None:
        """The engines of the tournament have changed."""
        await self._fleet.prepare(spec)

    async def try_engine(self, engine: EngineSpec, game: str) -> str:
        """Try an engine on a worker that has it; if none can, its first game will show why."""
        for _ in range(_MOST_LOSSES):
            worker = await self._fleet.idle_worker(engine.name)
            name = f"try-{next(self._trial_numbers)}"
            self._trials[name], answer = trio.open_memory_channel[str | None](1)
            await self._fleet.play(worker, {}, [TryOrder(name, engine, game)])
            problem = await answer.receive()
            if problem is not None:
                return problem
        return ""

    # --- what the fleet tells

    def _tell(self, name: str, text: str) -> None:
        """Tell the user something about a worker or the cluster."""
        self._send.send_nowait(EngineWarning(name, text))

    def _wake_run(self) -> None:
        """Let the run check how many games may run now: there may be more workers."""
        self._send.send_nowait(Snapshot(()))

    def _take_event(self, batch: Batch, event: BatchEvent) -> None:
        match event:
            case JobFinished():
                self._finish(batch, event)
            # A worker that had been given up may have sent the result of a game that this batch still has.
            case JobStarted(id) if id in batch.jobs and id in self._open:
                self._send.send_nowait(JobStarted(id, batch.worker.name))
            case JobLost(id) | OrderRefused(id) if batch.jobs.pop(id, None) and self._close(id):
                self._send.send_nowait(event)
            case EngineTried(id, problem) if id in self._trials:
                self._trials.pop(id).send_nowait(problem)
            case EngineWarning(engine, text) if (engine, text) not in self._warnings:
                self._warnings.append((engine, text))
                self._send.send_nowait(event)
            case Snapshot():
                self._send.send_nowait(event)

    def _close(self, id_: str) -> bool:
        """Forget a game; return whether it was open."""
        self._losses.pop(id_, None)
        return self._open.pop(id_, None) is not None

    def _finish(self, batch: Batch, finished: JobFinished) -> None:
        """Take a result, also of a worker that had been given up."""
        worker = batch.worker
        batch.jobs.pop(finished.id, None)
        if not self._close(finished.id):
            return  # another worker was quicker
        self._waiting.remove(finished.id)
        if finished.void in (VoidCause.PROCESSES, VoidCause.MACHINE):
            self._fleet.blame(worker, finished.detail)
        else:
            worker.void = 0
            self._times.add(finished.duration / 1e9)
        self._send.send_nowait(JobPlayed(finished, worker.name, worker.scale))

    def _lose(self, batch: Batch, text: str) -> None:
        """Play the games of a batch elsewhere, because it has ended without their results."""
        for name in batch.trials:
            if name in self._trials:
                self._trials.pop(name).send_nowait(None)
        again = []
        # Leave out a game whose result another worker has sent meanwhile.
        for job in [job for id_, job in batch.jobs.items() if self._open.get(id_) is job]:
            self._losses[job.id] += 1
            if self._losses[job.id] < _MOST_LOSSES:
                again.append(job)
            else:
                self._close(job.id)
                self._send.send_nowait(JobLost(job.id, text))
        batch.jobs.clear()
        self._waiting.put_back(again)

    # --- giving games to workers

    async def supervise(self) -> None:
        """Look after the workers and give them games, until this is cancelled."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._fleet.supervise)
            known = 0
            while True:
                await self._fleet.wait()
                if self.count != known:
                    known = self.count
                    self._wake_run()
                await trio.sleep(_SETTLE_SECONDS)
                for worker in self._fleet.ready():
                    while len(worker.batches) < worker.slots(self._cores):
                        most = batch_size(self._times, len(self._waiting), self.count)
                        more_come = len(self._open) >= self.room  # else no more games for now
                        jobs = self._waiting.take(most, worker.can_play, more_come=more_come)
                        if not jobs:
                            break
                        await self._fleet.play(worker, {job.id: job for job in jobs}, [])


@asynccontextmanager
async def open_cluster(spec: TournamentSpec) -> AsyncIterator[DaskExecutor]:
    """Play games on the workers of a scheduler; at the end of the context they stop what they play.

    A group has an `ArenaError`, if the scheduler does not answer or is not safe, or no worker can play.
    """
    executor = DaskExecutor(spec)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(executor.supervise)
        yield executor
        nursery.cancel_scope.cancel()


TARGET_SECONDS: Final = 30.0
"""Seconds that a batch should take: much longer than its process takes to start, but not too long to lose."""

MOST_GAMES: Final = 200  # the most games of a batch
_WEIGHT: Final = 0.1  # how much the last game counts in the mean


class GameTimes:
    """The mean time of a game in seconds, in which later games count more; None before the first game."""

    def __init__(self) -> None:
        self.seconds: float | None = None

    def add(self, seconds: float) -> None:
        """Count a game."""
        if self.seconds is None:
            self.seconds = seconds
        else:
            self.seconds += _WEIGHT * (seconds - self.seconds)

    @property
    def wanted(self) -> int:
        """How many games a batch should have; 1 before the first game."""
        if self.seconds is None:
            return 1
        return max(1, min(MOST_GAMES, int(TARGET_SECONDS / max(self.seconds, 1e-3))))


def batch_size(times: GameTimes, waiting: int, slots: int) -> int:
    """Return how many waiting games a worker gets, so that the last ones are spread over all workers."""
    return max(1, min(times.wanted, -(-waiting // max(slots, 1))))


class WaitingJobs:
    """The waiting games, in the order in which they came."""

    def __init__(self) -> None:
        self._groups: OrderedDict[int, list[Job]] = OrderedDict()
        self._of_job: dict[str, int] = {}
        self._incomplete: dict[Hashable, int] = {}  # of each kind of games, the group that is not full
        self._numbers = count()

    def __len__(self) -> int:
        return len(self._of_job)

    def add(self, job: Job) -> None:
        """Add a game: to its group, or to a new one if that is full."""
        kind = _kind(job)
        number = self._incomplete.get(kind)
        if number is None:
            number = self._incomplete[kind] = next(self._numbers)
        group = self._groups.setdefault(number, [])
        group.append(job)
        self._of_job[job.id] = number
        if len(group) == len(job.seats):
            del self._incomplete[kind]

    def put_back(self, jobs: Iterable[Job]) -> None:
        """Add games that a worker has lost, before all others."""
        jobs = list(jobs)
        for job in jobs:
            self.add(job)
        for number in sorted({self._of_job[job.id] for job in jobs}, reverse=True):
            self._groups.move_to_end(number, last=False)

    def remove(self, job: str) -> None:
        """Remove a game if it waits."""
        number = self._of_job.pop(job, None)
        if number is not None:
            group = self._groups[number]
            kind = _kind(group[0])
            group[:] = [other for other in group if other.id != job]
            if not group:
                self._drop(number, kind)

    def clear(self) -> list[str]:
        """Remove all games, and return their ids."""
        ids = list(self._of_job)
        self._groups.clear()
        self._incomplete.clear()
        self._of_job.clear()
        return ids

    def take(self, most: int, can_play: Callable[[Job], bool], *, more_come: bool) -> list[Job]:
        """Remove and return whole groups, until there are ``most`` games or no more that the worker can play.

        If more games may come, the newest group is left while it is incomplete.
        """
        taken: list[Job] = []
        newest = next(reversed(self._groups), None)
        for number, group in list(self._groups.items()):
            if len(taken) >= most or (more_come and number == newest and len(group) < len(group[0].seats)):
                break
            if can_play(group[0]):
                taken += group
                self._drop(number, _kind(group[0]))
        for job in taken:
            del self._of_job[job.id]
        return taken

    def _drop(self, number: int, kind: Hashable) -> None:
        """Forget a group."""
        del self._groups[number]
        if self._incomplete.get(kind) == number:
            del self._incomplete[kind]


def _kind(job: Job) -> Hashable:
    """Return the same for games with the same engines and opening."""
    return job.game, tuple(sorted(seat.engine.name for seat in job.seats)), job.position, job.moves
