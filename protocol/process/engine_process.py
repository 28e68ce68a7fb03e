"""An engine as a process: in a group of its own, read and written without a thread, ended for certain.

`protocol.process.sandbox` sets up what it may see and use; `protocol.process.orphans` finds what it leaves
behind.

Why not `trio.Process`: it signals only the process, never the group; and it starts children from worker
threads that come and go, for which see `protocol.process.starter`.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import struct
import subprocess
import termios
from collections.abc import Callable
from contextlib import ExitStack

import trio

from protocol.errors import EngineStartError, HubFault
from protocol.process import sandbox
from protocol.process import starter as threads
from protocol.spec import EngineSpec

__all__ = ["STDERR_TAIL", "EngineProcess"]

STDERR_TAIL = 65_536
"""Bytes of standard error that are kept: the last ones."""

_CHUNK = 65_536
_OUTPUT_CHUNK = 16_384  # its lines are taken apart at once, while other games of this referee wait
_HUB_FAULTS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.ENOSPC})
_POLL = 0.01
_FLOOD_PAUSE = 0.002
_SIGNALLED = 128
_BWRAP_FAILED = "exit code 1"


class EngineProcess:
    """A running engine: a transport for `protocol.hub.client.EngineClient`.

    Attributes:
        pid: the process id, which is also the id of its process group and session.
    """

    def __init__(
        self, popen: subprocess.Popen[bytes], *, folder: str | None = None, status: int | None = None
    ) -> None:
        """Wrap a process that leads its own group and has three unbuffered pipes.

        Args:
            popen: the process.
            folder: to be removed after its end.
            status: where bubblewrap tells what becomes of the engine, if the process is bubblewrap.
        """
        if popen.stdin is None or popen.stdout is None or popen.stderr is None:
            raise ValueError("an engine needs three pipes")
        self._popen = popen
        self._folder = folder
        self._status = status
        self._told = b""
        self.pid = popen.pid
        self._stdin, self._stdout, self._stderr = (
            pipe.fileno() for pipe in (popen.stdin, popen.stdout, popen.stderr)
        )
        for descriptor in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(descriptor, False)
        self._pidfd = os.pidfd_open(popen.pid) if hasattr(os, "pidfd_open") else -1
        self._tail = bytearray()
        self._drain_scope = trio.CancelScope()
        self._disposed = False

    @classmethod
    async def start(cls, spec: EngineSpec) -> EngineProcess:
        """Start the engine; cancelled meanwhile, it leaves no process behind.

        Raises:
            EngineStartError: it cannot be started, and that is the engine's fault or its configuration's.
            HubFault: it cannot be started, and that is this machine's.
        """
        try:
            with ExitStack() as undo:
                folder = None
                if spec.sandbox == "folder":
                    folder = sandbox.make_folder()
                    undo.callback(threads.remove_folder_soon, folder)
                own = sandbox.OWN_FOLDER if spec.sandbox == "bwrap" else folder
                environment = sandbox.environment(spec, own)
                started = await threads.start(spec, folder or spec.cwd, environment)
                undo.callback(threads.abandon, started)
                process = cls(started.popen, folder=folder, status=started.status)
                undo.pop_all()
                return process
        except OSError as error:
            if error.errno in _HUB_FAULTS:
                raise HubFault(f"this machine cannot start another process: {error.strerror}") from error
            raise EngineStartError(f"cannot be started: {error}") from error
        except RuntimeError as error:
            raise HubFault(f"this machine cannot start another thread: {error}") from error

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
            if self._disposed:
                return b""  # as below
            try:
                return os.read(self._stdout, _OUTPUT_CHUNK)
            except BlockingIOError:
                continue

    async def drain_stderr(self, note: Callable[[bytes], None]) -> None:
        """Read standard error until its end, keeping the tail: run this beside the engine, always."""
        with self._drain_scope:
            while True:
                await trio.lowlevel.wait_readable(self._stderr)
                if self._disposed:
                    return  # closed between the bytes and our turn: the number may be another file's by now
                try:
                    data = os.read(self._stderr, _CHUNK)
                except BlockingIOError:
                    continue
                if not data:
                    return
                self._tail += data
                del self._tail[:-STDERR_TAIL]
                note(data)
                if len(data) == _CHUNK:
                    await trio.sleep(_FLOOD_PAUSE)  # a flood must not keep us from the clocks of other games

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
            return "" if code is None else self._exit_text(code)
        status = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if status is None:
            return ""
        if status.si_code == os.CLD_EXITED:
            return self._exit_text(status.si_status)
        return self._exit_text(-status.si_status)

    def _exit_text(self, code: int) -> str:
        if self._status is not None and code > _SIGNALLED:
            code = _SIGNALLED - code
        try:
            return f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
        except ValueError:
            return f"signal {-code}"

    def shortage(self) -> str:
        """Find out what bubblewrap was short of, so that it ended before the engine ran; "" for other ends.

        The engine can say the same words, but it can't take back what bubblewrap told of its end.
        """
        if self._status is None or self.exit_text != _BWRAP_FAILED:
            return ""
        try:
            self._told += os.read(self._status, _CHUNK)
        except BlockingIOError:
            pass  # nothing new
        if b'"exit-code"' in self._told:
            return ""
        words = self.stderr_tail.strip().rpartition("\n")[2]
        return words if words.endswith(tuple(map(os.strerror, _HUB_FAULTS))) else ""

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
        threads.forget(self.pid)
        threads.kill_orphans_soon()
        if self._folder is not None:
            threads.remove_folder_soon(self._folder)
        self._disposed = True
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
        if self._status is not None:
            os.close(self._status)
            self._status = None
