"""A referee's process and its pipes.

`trio.lowlevel.open_process` starts a process in a thread that ends after some seconds, and the kernel kills a
referee when the thread that started it ends (`protocol.process.lifetime`). So here the thread of trio's loop
starts it. The loop waits a millisecond or two meanwhile.
"""

from __future__ import annotations

import os
import subprocess
import sys

import trio

from protocol.process.lifetime import death_signal

__all__ = ["RefereeProcess"]

_POLL = 0.05
"""Seconds between two looks at a process on a system without pidfds."""


class RefereeProcess:
    """A running referee. The kernel kills it when this process ends, even if it is stopped (on Linux).

    Args:
        options: the options of ``python -m referee``.

    Attributes:
        pid: its process id, which is also the id of its process group and session.
        stdin: takes orders.
        stdout: gives events.
        stderr: gives error messages.

    Raises:
        OSError: it cannot be started.
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
