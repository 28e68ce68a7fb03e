"""A referee's process: its pipes, and whether it still gives signs of life.

A referee with running games sends a snapshot four times a second. Arena looks every `TICK` seconds to see
whether it has read anything. It counts these looks and not the time, so no referee counts as silent because
arena itself was stopped. A look does not count if arena did not read, because it was busy, or if the referee
only waits for a processor or a disk.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import trio

from protocol.process.lifetime import death_signal
from protocol.process.machine import process_state

_POLL = 0.05  # seconds between two looks at a process on a system without pidfds
TICK = 0.5  # seconds between two looks
LIMIT: Final = 10  # a referee with running games is silent after this many looks at which nothing had come
START_LIMIT: Final = 120  # the same for a referee that is starting, or that computes all the time
_BUSY: Final = 0.1
"""The share of a tick for which a process must have run, or waited for a processor, to count as busy."""

_CHUNK: Final = 65_536


class RefereeProcess:
    """A running referee. The kernel kills it when this process ends, even if it is stopped (on Linux).

    The kernel also kills a referee when the thread that started it ends (`protocol.process.lifetime`), as the
    threads of `trio.lowlevel.open_process` do after some seconds. So the thread of trio's loop starts it.
    """

    def __init__(self, *options: str) -> None:
        pipes: list[int] = []
        try:
            for _ in range(3):
                pipes += os.pipe()
            stdin, to_stdin, from_stdout, stdout, from_stderr, stderr = pipes
            # -P: Python must not import a folder named referee in the current directory.
            command = [sys.executable, "-P", "-m", "referee", "--parent", str(os.getpid()), *options]
            self._popen = subprocess.Popen[bytes](
                [*death_signal(), *command], stdin=stdin, stdout=stdout, stderr=stderr, start_new_session=True
            )
        except BaseException:
            for descriptor in pipes:
                os.close(descriptor)
            raise
        for descriptor in (stdin, stdout, stderr):
            os.close(descriptor)
        self.pid = self._popen.pid
        self.stdin, self.stdout, self.stderr = map(
            trio.lowlevel.FdStream, (to_stdin, from_stdout, from_stderr)
        )

    @property
    def returncode(self) -> int | None:
        """The exit code; None while it is running."""
        return self._popen.poll()

    async def wait(self) -> None:
        """Wait until it has ended."""
        while self.returncode is None:
            await self._wait_some_time()

    async def _wait_some_time(self) -> None:
        if not hasattr(os, "pidfd_open"):
            await trio.sleep(_POLL)
            return
        pidfd = os.pidfd_open(self.pid)
        try:
            await trio.lowlevel.wait_readable(pidfd)
        finally:
            os.close(pidfd)

    def kill(self) -> None:
        """Kill it."""
        self._popen.kill()


@dataclass(frozen=True, slots=True)
class _Status:
    """The state of a process, as the kernel of Linux knows it.

    The letter is that of ``/proc/PID/stat``: T and t are stopped, R is running or ready to run, D waits for a
    disk. It is "" if the system does not say.
    """

    letter: str = ""
    ran: float = 0.0  # seconds of its main thread
    waited: float = 0.0  # seconds for which it waited for a processor


class LifeSigns:
    """The signs of life of one referee process. Set `ready` when it has said that it is ready."""

    def __init__(self, pid: int) -> None:
        self.ready = False
        self._pid = pid
        self._folder = Path("/proc", str(pid))
        self._heard = self._listening = False
        self._status = _Status()
        self._quiet = self._stopped = self._computing = 0

    async def receive(self, stream: trio.abc.ReceiveStream) -> bytes:
        """Read output of the process; b"" at its end. Any output is a sign of life."""
        self._listening = True
        try:
            data = await stream.receive_some(_CHUNK)
        finally:
            self._listening = False
        self._heard = True
        return bytes(data)

    async def end(self, jobs: set[str]) -> str:
        """Wait until the process is silent, which it may be without a job; return what is known of it."""
        while True:
            await trio.sleep(TICK)
            fault = self._look(playing=bool(jobs))
            if fault:
                # If arena has just been continued, the output may wait to be read in this same moment.
                await trio.sleep(TICK / 5)
                if not self._heard:
                    return fault

    def _look(self, *, playing: bool) -> str:
        """Count a look. Return why the process is silent; "" if it is not."""
        before, self._status = self._status, self._read_status()
        heard, self._heard = self._heard, False
        if heard or not self._listening:
            self._quiet = self._stopped = self._computing = 0
            return ""
        self._stopped = self._stopped + 1 if self._status.letter in ("T", "t") else 0
        if self._stopped >= LIMIT:
            return f"was stopped, and gave no sign of life for {LIMIT * TICK:g} s"
        if self.ready and not playing:
            self._quiet = self._computing = 0
        elif self._status.ran - before.ran > _BUSY * TICK:
            self._computing += 1
        elif self._status.letter not in ("R", "D") and self._status.waited - before.waited <= _BUSY * TICK:
            self._quiet += 1
        limit = LIMIT if self.ready else START_LIMIT
        if self._quiet >= limit or self._computing >= START_LIMIT:
            return f"gave no sign of life for {max(self._quiet, self._computing) * TICK:g} s"
        return ""

    def _read_status(self) -> _Status:
        try:
            ran, waited = (self._folder / "schedstat").read_bytes().split()[:2]
        except (OSError, ValueError):  # another system, or the process has just ended
            return _Status()
        letter = process_state(self._pid)
        return _Status(letter, int(ran) / 1e9, int(waited) / 1e9) if letter else _Status()
