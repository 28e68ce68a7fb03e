"""A referee's process: its pipes, and whether it still gives signs of life.

A referee says something at least twice a second. Arena looks every `TICK` seconds to see whether it has read
anything. It counts these looks and not the time, so no referee counts as silent because arena itself was
stopped. A look does not count if arena did not read, because it was busy.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Final

import trio

from protocol.process.lifetime import death_signal

_POLL = 0.05  # seconds between two looks at a process on a system without pidfds
TICK = 0.5  # seconds between two looks
LIMIT: Final = 20  # a referee is silent after this many looks at which nothing had come
START_LIMIT: Final = 120  # the same for a referee that is starting
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


class LifeSigns:
    """The signs of life of one referee process. Set `ready` when it has said that it is ready."""

    def __init__(self) -> None:
        self.ready = False
        self._listening = False
        self._quiet_looks = 0

    async def receive(self, stream: trio.abc.ReceiveStream) -> bytes:
        """Read output of the process; b"" at its end. Any output is a sign of life."""
        self._listening = True
        try:
            data = await stream.receive_some(_CHUNK)
        finally:
            self._listening = False
        self._quiet_looks = 0
        return bytes(data)

    async def end(self) -> str:
        """Wait until the process is silent, and say so."""
        while True:
            await trio.sleep(TICK)
            if self._look():
                return f"gave no sign of life for {self._quiet_looks * TICK:g} s"

    def _look(self) -> bool:
        """Count a look, and return whether the process is silent."""
        self._quiet_looks = self._quiet_looks + 1 if self._listening else 0
        return self._quiet_looks >= (LIMIT if self.ready else START_LIMIT)
