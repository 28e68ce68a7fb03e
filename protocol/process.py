"""An engine as a process: in a group of its own, read and written without a thread, ended for certain.

Why not `trio.Process`: it signals only the process, never the group; and it starts children from worker
threads that come and go, while the parent-death signal follows the *thread* that started the child. Here one
thread starts all engines and lives as long as the interpreter.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import signal
import struct
import subprocess
import termios
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache

import trio

from protocol.errors import EngineStartError, HubFault
from protocol.program import find_program
from protocol.spec import EngineSpec

__all__ = ["STDERR_TAIL", "EngineProcess"]

STDERR_TAIL = 65_536
"""Bytes of standard error that are kept: the last ones."""

_CHUNK = 65_536
_HUB_FAULTS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN})
_POLL = 0.01


@cache
def _starter() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="engine-starter")


@cache
def _death_signal_prefix() -> tuple[str, ...]:
    """Makes the kernel kill the engine when we are killed, where util-linux is there to ask for it."""
    setpriv = shutil.which("setpriv")
    return (setpriv, "--pdeathsig", "KILL", "--") if setpriv else ()


class EngineProcess:
    """A running engine: a transport for `protocol.client.EngineClient`.

    Attributes:
        pid: the process id, which is also the id of its process group and session.
    """

    def __init__(self, popen: subprocess.Popen[bytes]) -> None:
        """Wrap a process that leads its own group and has three unbuffered pipes."""
        if popen.stdin is None or popen.stdout is None or popen.stderr is None:
            raise ValueError("an engine needs three pipes")
        self._popen = popen
        self.pid = popen.pid
        self._stdin, self._stdout, self._stderr = (
            pipe.fileno() for pipe in (popen.stdin, popen.stdout, popen.stderr)
        )
        for descriptor in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(descriptor, False)
        self._pidfd = os.pidfd_open(popen.pid) if hasattr(os, "pidfd_open") else -1
        self._tail = bytearray()
        self._drain_scope = trio.CancelScope()

    @classmethod
    async def start(cls, spec: EngineSpec) -> EngineProcess:
        """Start the engine; cancelled meanwhile, it leaves no process behind.

        Raises:
            EngineStartError: it cannot be started, and that is the engine's fault or its configuration's.
            HubFault: it cannot be started, and that is this machine's.
        """
        environment = {**os.environ, "PYTHONUNBUFFERED": "1", **spec.env}
        program = find_program(spec.command, spec.cwd, environment.get("PATH"))
        future = _starter().submit(
            subprocess.Popen[bytes],
            (*_death_signal_prefix(), program, *spec.command[1:]),
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=spec.cwd,
            env=environment,
            start_new_session=True,
        )
        try:
            return cls(await _result(future))
        except OSError as error:
            if error.errno in _HUB_FAULTS:
                raise HubFault(f"this machine cannot start another process: {error.strerror}") from error
            raise EngineStartError(f"cannot be started: {error}") from error

    # --- bytes

    def write_now(self, data: bytes) -> int:
        """Write what fits into the pipe without waiting; returns how many bytes that was.

        Raises:
            BrokenPipeError: the engine closed its standard input.
        """
        try:
            return os.write(self._stdin, data)
        except BlockingIOError:
            return 0

    async def wait_writable(self) -> None:
        """Wait until the pipe takes more."""
        await trio.lowlevel.wait_writable(self._stdin)

    @property
    def unread(self) -> int | None:
        """How many bytes of what was written the engine has not read; None where the system does not tell."""
        try:
            (count,) = struct.unpack("i", fcntl.ioctl(self._stdin, termios.FIONREAD, bytes(4)))
        except OSError:
            return None
        return int(count)

    async def read(self) -> bytes:
        """Wait for output; b"" at end of file."""
        while True:
            await trio.lowlevel.wait_readable(self._stdout)
            try:
                return os.read(self._stdout, _CHUNK)
            except BlockingIOError:
                continue

    async def drain_stderr(self, note: Callable[[bytes], None]) -> None:
        """Read standard error until its end, keeping the tail: run this beside the engine, always."""
        with self._drain_scope:
            while True:
                await trio.lowlevel.wait_readable(self._stderr)
                try:
                    data = os.read(self._stderr, _CHUNK)
                except BlockingIOError:
                    continue
                if not data:
                    return
                self._tail += data
                del self._tail[:-STDERR_TAIL]
                note(data)

    @property
    def stderr_tail(self) -> str:
        """The last of what the engine wrote to standard error."""
        return self._tail.decode(errors="replace")

    # --- life

    @property
    def exit_text(self) -> str:
        """How it ended, for people; "" while it runs."""
        if not hasattr(os, "waitid"):  # macOS before Python 3.13: the process is reaped here already
            code = self._popen.poll()
            return "" if code is None else _exit_text(code)
        status = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if status is None:
            return ""
        if status.si_code == os.CLD_EXITED:
            return _exit_text(status.si_status)
        return _exit_text(-status.si_status)

    async def wait_exit(self) -> None:
        """Wait until it has ended; it stays a zombie, so that its group's id stays ours to signal."""
        if self._pidfd >= 0:
            await trio.lowlevel.wait_readable(self._pidfd)
            return
        while not self.exit_text:  # noqa: ASYNC110 - without pidfds there is no event to wait for
            await trio.sleep(_POLL)

    def close_stdin(self) -> None:
        """Let the engine see the end of its input."""
        if self._popen.stdin is not None and not self._popen.stdin.closed:
            trio.lowlevel.notify_closing(self._stdin)
            self._popen.stdin.close()

    def signal_group(self, number: signal.Signals) -> None:
        """Signal the engine and all that it started and that stayed in its group."""
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):
            pass  # nobody left; macOS says "not permitted" of a group of zombies

    def dispose(self) -> None:
        """Kill what is left of the group, reap the process, close everything. Never waits long."""
        self.signal_group(signal.SIGKILL)
        self._popen.wait()
        self._drain_scope.cancel()
        self.close_stdin()
        for pipe in (self._popen.stdout, self._popen.stderr):
            if pipe is not None and not pipe.closed:
                trio.lowlevel.notify_closing(pipe)
                pipe.close()
        if self._pidfd >= 0:
            trio.lowlevel.notify_closing(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = -1


def _exit_text(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"


async def _result(future: Future[subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    """Await a future of the starter thread; if cancelled, end what it has started."""
    token = trio.lowlevel.current_trio_token()
    done = trio.Event()

    def wake(_: Future[subprocess.Popen[bytes]]) -> None:
        try:
            token.run_sync_soon(done.set)
        except trio.RunFinishedError:
            pass  # the loop is gone, and so is whoever waited

    future.add_done_callback(wake)
    try:
        await done.wait()
    except trio.Cancelled:
        if not future.cancel():
            future.add_done_callback(_discard)
        raise
    return future.result()


def _discard(future: Future[subprocess.Popen[bytes]]) -> None:
    """End a process that nobody waits for any more."""
    if future.cancelled() or future.exception() is not None:
        return
    process = future.result()
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.communicate()
