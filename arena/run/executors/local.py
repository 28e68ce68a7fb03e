"""Referee processes on this machine: started, fed, watched, replaced when they die."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import trio

from arena.errors import ArenaError
from protocol.process import orphans
from protocol.wire.lines import LineBuffer
from referee.match.job import (
    Job,
    JobFinished,
    OrderRefused,
    QuitOrder,
    RefereeEvent,
    RefereeReady,
    decode_event,
    encode,
)

__all__ = ["JobLost", "LocalReferees", "open_referees", "processors"]

_MAX_EVENT = 1 << 26
_GRACE = 6.0
_DEATHS = 5
_TAIL = 60


@dataclass(frozen=True, slots=True)
class JobLost:
    """A game's referee died: nobody is to blame, it is to be played again."""

    id: str
    text: str


@dataclass(slots=True, eq=False)
class _Referee:
    """One referee process and the games that it is playing."""

    cpu: int | None
    process: trio.Process | None = None
    deaths: int = 0
    jobs: set[str] = field(default_factory=set)
    waiting: deque[Job] = field(default_factory=deque)
    stderr: deque[str] = field(default_factory=lambda: deque(maxlen=_TAIL))


class LocalReferees:
    """Some referee processes that share the games; made by `open_referees`.

    Attributes:
        events: what the referees tell, and `JobLost`.
    """

    def __init__(self, cpus: tuple[int | None, ...]) -> None:
        self._send, self.events = trio.open_memory_channel[RefereeEvent | JobLost](1000)
        self._referees = [_Referee(cpu) for cpu in cpus]
        self._closing = False
        self._starting = trio.Lock()
        self._pids: set[int] = set()

    async def submit(self, job: Job) -> None:
        """Have ``job`` played at once, by the referee that has the least to do."""
        referee = min(self._referees, key=lambda other: len(other.jobs))
        referee.jobs.add(job.id)
        if referee.process is None:
            referee.waiting.append(job)
        else:
            await self._tell(referee, job)

    async def _tell(self, referee: _Referee, order: Job | QuitOrder) -> None:
        assert referee.process is not None
        assert referee.process.stdin is not None
        try:
            await referee.process.stdin.send_all(encode(order))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # it has died: whoever reads its output sees that, too, and reports its jobs

    async def supervise(self) -> None:
        """Run all referees until `close`."""
        async with trio.open_nursery() as nursery:
            for referee in self._referees:
                nursery.start_soon(self._live, referee)

    async def _live(self, referee: _Referee) -> None:
        """Start the process, and again whenever it dies, until it does so without a game in between."""
        while referee.deaths < _DEATHS:
            await self._one_life(referee)
            if self._closing:
                return
            referee.deaths += 1
            lost, referee.jobs = referee.jobs, set()
            referee.waiting.clear()
            for job in sorted(lost):
                await self._send.send(JobLost(job, f"the referee process died{_last_words(referee)}"))
        raise ArenaError(f"the referee process keeps dying{_last_words(referee)}")

    async def _one_life(self, referee: _Referee) -> None:
        cpu = [] if referee.cpu is None else ["--cpu", str(referee.cpu)]
        referee.stderr.clear()
        # -P: a folder named referee where the user happens to stand is not ours.
        command = [sys.executable, "-P", "-m", "referee", *cpu]
        try:
            async with self._starting:
                process = await trio.lowlevel.open_process(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    start_new_session=True,
                )
                self._pids.add(process.pid)
        except OSError as error:
            raise ArenaError(f"this machine cannot start a referee process: {error.strerror}") from error
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._read_stderr, process, referee)
                referee.process = process
                while referee.waiting:
                    await self._tell(referee, referee.waiting.popleft())
                if self._closing:
                    await self._tell(referee, QuitOrder())
                await self._read_events(process, referee)
        finally:
            referee.process = None
            with trio.CancelScope(shield=True):
                await _end(process)
                await self._bury(process)

    async def _bury(self, process: trio.Process) -> None:
        """Kill what a referee that was killed has left of its engines."""
        async with self._starting:
            self._pids.discard(process.pid)
            if orphans.adopting():
                await trio.to_thread.run_sync(orphans.kill_orphans, frozenset(self._pids))

    async def _read_events(self, process: trio.Process, referee: _Referee) -> None:
        assert process.stdout is not None
        buffer = LineBuffer(_MAX_EVENT)
        async for data in process.stdout:
            buffer.feed(bytes(data))
            while (line := buffer.next_line()) is not None:
                event = decode_event(line)
                if isinstance(event, JobFinished):
                    referee.deaths = 0
                if isinstance(event, JobFinished | OrderRefused):
                    referee.jobs.discard(event.id)
                if not isinstance(event, RefereeReady):
                    await self._send.send(event)

    async def _read_stderr(self, process: trio.Process, referee: _Referee) -> None:
        assert process.stderr is not None
        buffer = LineBuffer()
        async for data in process.stderr:
            buffer.feed(bytes(data))
            while (line := buffer.next_line()) is not None:
                referee.stderr.append(line.decode(errors="replace"))

    async def close(self) -> None:
        """Let the referees end their engines politely and exit; no game may be running any more."""
        self._closing = True
        for referee in self._referees:
            if referee.process is not None:
                await self._tell(referee, QuitOrder())


def _last_words(referee: _Referee) -> str:
    """What it wrote to its standard error, a traceback mostly; "" if nothing, as when it was killed."""
    return "; its last words:\n" + "\n".join(referee.stderr) if referee.stderr else ""


async def _end(process: trio.Process) -> None:
    """See a referee off: at the end of its input it kills its engines and exits."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    await process.stdin.aclose()
    with trio.move_on_after(_GRACE):
        await process.wait()
    if process.returncode is None:
        process.kill()
        await process.wait()
    await process.stdout.aclose()
    await process.stderr.aclose()


@asynccontextmanager
async def open_referees(cpus: tuple[int | None, ...]) -> AsyncIterator[LocalReferees]:
    """Referee processes, one for each entry of ``cpus`` (a processor to pin it to, or None).

    Left normally, the engines are ended politely; left by an exception or a cancellation, they are killed.

    Raises:
        ArenaError: they cannot be started, or keep dying.
    """
    referees = LocalReferees(cpus)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(referees.supervise)
        yield referees
        await referees.close()


def processors(count: int, *, pinned: bool) -> tuple[int | None, ...]:
    """One entry for each of at most ``count`` referees: a processor each when ``pinned``, else None."""
    usable = (
        sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    )
    chosen = list(usable)[: max(1, count)]
    return tuple(cpu if pinned else None for cpu in chosen)
