"""Referee processes on this machine: start them, send them jobs, read their events, replace dead ones.

A referee says something at least twice a second; one that says nothing for some seconds is killed. The time
counts only while arena waits for output: what a referee has written while arena was stopped is read first.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import IO, Final

import trio

from arena.errors import ArenaError, Outlasting
from arena.run.cores import Cores, pinned
from arena.run.executor import Executor, ExecutorEvent, JobLost
from protocol.process import machine
from protocol.process.lifetime import adopts_orphans, death_signal, kill_orphans
from protocol.spec import EngineSpec
from protocol.wire.session import LineBuffer
from referee.match.job import (
    SIGN_OF_LIFE,
    AbandonOrder,
    AnswerOrder,
    EngineTried,
    Job,
    JobFinished,
    Order,
    OrderRefused,
    QuitOrder,
    RefereeReady,
    TryOrder,
    WatchOrder,
    decode_event,
    encode,
)

SILENT_SECONDS: Final = 10.0  # without a sign of life, after which a referee is killed
START_SECONDS: Final = 60.0  # the same for a referee that is starting
_MAX_EVENT: Final = 1 << 26  # the most bytes in the line of an event
_CHUNK: Final = 65_536
_POLL: Final = 0.01  # seconds between two looks whether a process has ended
_GRACE: Final = 2.0  # seconds that a referee has to kill its engines and exit after its input has ended
_MAX_DEATHS: Final = 5
"""The run ends when a referee dies this many times in a row while it is not ready or plays no game."""

_FAULT_SECONDS: Final = 10  # after which lasting referees are tried again
_STDERR_LINES: Final = 60  # of a referee, that are kept for the message about its death


class RefereeProcess:
    """A running referee. The kernel kills it when this process ends, even if it is stopped (on Linux).

    The kernel also kills a referee when the thread that started it ends (`protocol.process.lifetime`), as the
    threads of `trio.lowlevel.open_process` do after some seconds. So the thread of trio's loop starts it.
    """

    def __init__(self, *options: str) -> None:
        # -P: Python must not import a folder named referee in the current directory.
        command = [sys.executable, "-P", "-m", "referee", "--parent", str(os.getpid()), *options]
        self._popen = subprocess.Popen[bytes](
            [*death_signal(), *command],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self.pid = self._popen.pid
        self.stdin, self.stdout, self.stderr = map(
            stream_of, (self._popen.stdin, self._popen.stdout, self._popen.stderr)
        )

    @property
    def returncode(self) -> int | None:
        """The exit code; None while it is running."""
        return self._popen.poll()

    async def wait(self) -> None:
        """Wait until it has ended."""
        while self.returncode is None:  # noqa: ASYNC110 - not all systems have an event for it
            await trio.sleep(_POLL)

    def kill(self) -> None:
        """Kill it."""
        self._popen.kill()


@dataclass(slots=True, eq=False)
class _Referee:
    """A referee process, its running games, and the engines that it tries."""

    cores: Cores
    process: RefereeProcess | None = None
    deaths: int = 0
    ready: bool = False
    silence: str = ""
    jobs: set[str] = field(default_factory=set)
    waiting: deque[Order] = field(default_factory=deque)
    trials: dict[str, trio.MemorySendChannel[str]] = field(default_factory=dict)
    sending: trio.Lock = field(default_factory=trio.Lock)
    stderr: deque[str] = field(default_factory=lambda: deque(maxlen=_STDERR_LINES))


class LocalReferees(Executor):
    """The referee processes of a run, which share its games; made by `open_referees`. It is an `Executor`."""

    many_machines = False

    def __init__(self, cores: tuple[Cores, ...], keep: int | None, games: Sequence[str]) -> None:
        self._options = [] if keep is None else ["--keep", str(keep)]
        self._options += [f"--game={game_id}" for game_id in games]
        self._send, self.events = trio.open_memory_channel[ExecutorEvent](1000)
        self._referees = [_Referee(processors) for processors in cores]
        self._closing = trio.Event()
        self._watched = False
        self._starting = trio.Lock()
        self._pids: set[int] = set()
        self._trial_numbers = count(1)

    @property
    def count(self) -> int:
        """The number of referees."""
        return len(self._referees)

    async def submit(self, job: Job) -> None:
        """Send ``job`` to the referee with the fewest running games, which starts it immediately."""
        referee = min(self._referees, key=lambda candidate: len(candidate.jobs))
        referee.jobs.add(job.id)
        await self._order(referee, job)

    async def answer(self, job: str, ply: int, move: str) -> None:
        """Send the move of a person to the referee of a game; see `AnswerOrder`."""
        await self._order_for(job, AnswerOrder(job, ply, move))

    async def abandon(self, job: str) -> None:
        """End a game without a result."""
        await self._order_for(job, AbandonOrder(job))

    async def _order_for(self, job: str, order: Order) -> None:
        for referee in self._referees:
            if job in referee.jobs:
                await self._order(referee, order)

    async def try_engine(self, engine: EngineSpec, game: str) -> str:
        """Start an engine, and end it again. Return its problem with its options; "" if it takes them."""
        referee = min(self._referees, key=lambda candidate: len(candidate.trials))
        order = TryOrder(f"try-{next(self._trial_numbers)}", engine, game)
        referee.trials[order.id], result = trio.open_memory_channel[str](1)
        await self._order(referee, order)
        return await result.receive()

    async def _order(self, referee: _Referee, order: Order) -> None:
        """Send an order now, or when the referee has started."""
        if referee.process is None:
            referee.waiting.append(order)
        else:
            await self._send_order(referee, order)

    async def watch(self, watched: bool) -> None:
        """Let the referees send the plies of their games in every `Snapshot`, or stop that."""
        self._watched = watched
        for referee in self._referees:
            if referee.process is not None:
                await self._send_order(referee, WatchOrder(watched))

    async def _send_order(self, referee: _Referee, order: Order) -> None:
        process = referee.process  # not the next one: the games of this one are lost if it dies meanwhile
        assert process is not None
        try:
            async with referee.sending:
                await process.stdin.send_all(encode(order))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # the referee has died: `_supervise_one` reports its jobs as lost when its output ends

    async def supervise(self, *, lasting: bool) -> None:
        """Run all referees until `close`; after a fault, the ``lasting`` referees of a server start again."""
        outlasting = Outlasting("the referee") if lasting else nullcontext()
        while not self._closing.is_set():
            with outlasting:
                async with trio.open_nursery() as nursery:
                    for referee in self._referees:
                        nursery.start_soon(self._supervise_one, referee)
            with trio.move_on_after(_FAULT_SECONDS):
                await self._closing.wait()

    async def _supervise_one(self, referee: _Referee) -> None:
        """Run the process, and restart it when it dies, up to `_MAX_DEATHS` times without playing."""
        referee.deaths = 0
        while referee.deaths < _MAX_DEATHS:
            await self._run_process(referee)
            if self._closing.is_set():
                return
            playing = referee.ready and bool(referee.jobs)  # then one of its engines may have killed it
            referee.deaths = 0 if playing else referee.deaths + 1
            end = f"{referee.silence}, so arena killed it" if referee.silence else "died"
            text = f"the referee process {end}{_stderr_tail(referee)}"
            lost = sorted(referee.jobs)
            referee.jobs.clear()
            referee.waiting.clear()
            for id_ in list(referee.trials):
                _end_trial(referee, EngineTried(id_, ""))
            for job in lost:
                await self._send.send(JobLost(job, text))
        raise ArenaError(
            f"the referee process died {_MAX_DEATHS} times without playing{_stderr_tail(referee)}"
        )

    async def _run_process(self, referee: _Referee) -> None:
        referee.stderr.clear()
        referee.ready, referee.silence = False, ""
        try:
            async with self._starting:
                with pinned(referee.cores):
                    process = RefereeProcess(*self._options)
                self._pids.add(process.pid)
        except OSError as error:
            raise ArenaError(f"this machine cannot start a referee process: {error.strerror}") from error
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._read_stderr, process, referee)
                referee.process = process
                if self._watched:
                    await self._send_order(referee, WatchOrder(watched=True))
                while referee.waiting:
                    await self._send_order(referee, referee.waiting.popleft())
                if self._closing.is_set():
                    process.kill()
                await self._read_events(process, referee)
        finally:
            referee.process = None
            with trio.CancelScope(shield=True):
                await _end(process)
                await self._clear_up(process)

    async def _clear_up(self, process: RefereeProcess) -> None:
        """Kill the engines and remove the folders that a referee has left behind because it was killed."""
        async with self._starting:
            self._pids.discard(process.pid)
            if adopts_orphans():
                await trio.to_thread.run_sync(kill_orphans, frozenset(self._pids))
            if process.returncode:
                await trio.to_thread.run_sync(machine.remove_abandoned_folders)

    async def _read_events(self, process: RefereeProcess, referee: _Referee) -> None:
        buffer = LineBuffer(_MAX_EVENT)
        while True:
            seconds = SILENT_SECONDS if referee.ready else START_SECONDS
            with trio.move_on_after(seconds) as silence:
                data = bytes(await process.stdout.receive_some(_CHUNK))
            if silence.cancelled_caught:
                referee.silence = f"gave no sign of life for {seconds:g} s"
                process.kill()
                return
            if not data:
                return
            buffer.feed(data)
            while (line := buffer.next_line()) is not None:
                event = decode_event(line)
                if isinstance(event, RefereeReady):
                    referee.ready = True
                    continue
                if event == SIGN_OF_LIFE:
                    continue
                if isinstance(event, EngineTried):
                    _end_trial(referee, event)
                    continue
                if isinstance(event, JobFinished | OrderRefused):
                    referee.deaths = 0
                    referee.jobs.discard(event.id)
                await self._send.send(event)

    async def _read_stderr(self, process: RefereeProcess, referee: _Referee) -> None:
        buffer = LineBuffer()
        async for data in process.stderr:
            buffer.feed(bytes(data))
            while (line := buffer.next_line()) is not None:
                referee.stderr.append(line.decode(errors="replace"))

    async def close(self) -> None:
        """Order the referees to send ``quit`` to their engines and to exit; no game may be running.

        A referee that is not ready has no engine, so it is killed.
        """
        self._closing.set()
        for referee in self._referees:
            if referee.process is None:
                continue
            if referee.ready:
                await self._send_order(referee, QuitOrder())
            else:
                referee.process.kill()


def stream_of(pipe: IO[bytes] | None) -> trio.lowlevel.FdStream:
    """Return a pipe as a stream of trio."""
    assert pipe is not None
    with pipe:
        return trio.lowlevel.FdStream(os.dup(pipe.fileno()))


def _end_trial(referee: _Referee, event: EngineTried) -> None:
    referee.trials.pop(event.id).send_nowait(event.problem)


def _stderr_tail(referee: _Referee) -> str:
    """Return the end of its standard error, usually a traceback; "" if it is empty, as after a kill."""
    if len(referee.stderr) == 1:
        return f": {referee.stderr[0]}"
    return "; its standard error ends with:\n" + "\n".join(referee.stderr) if referee.stderr else ""


async def _end(process: RefereeProcess) -> None:
    """End a referee: close its input, so that it kills its engines and exits; kill it if it does not."""
    await process.stdin.aclose()
    with trio.move_on_after(_GRACE):
        await process.wait()
    if process.returncode is None:
        process.kill()
        await process.wait()
    await process.stdout.aclose()
    await process.stderr.aclose()


@asynccontextmanager
async def open_referees(
    cores: tuple[Cores, ...], *, keep: int | None = None, games: Sequence[str] = (), lasting: bool = False
) -> AsyncIterator[LocalReferees]:
    """Start one referee process for each entry of ``cores``: the processors that it and its engines may use.

    With ``keep``, each referee keeps at most this number of engines between games. It loads ``games``, by
    their ids, while it starts. At a normal exit from the context the referees send ``quit`` to their engines.
    At an exception or a cancellation they kill them. If referees cannot be started, or die again and again,
    this raises an ArenaError; ``lasting`` referees are tried again.
    """
    referees = LocalReferees(cores, keep, games)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(partial(referees.supervise, lasting=lasting))
        yield referees
        await referees.close()
