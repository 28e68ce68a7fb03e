"""An engine's process: reads and writes its pipes without threads, and ends its whole process group.

This module does not use `trio.Process`, which sends signals only to the process and not to its group. It also
starts processes in short-lived threads; `protocol.process.starter` explains why that is wrong for engines.
"""

from __future__ import annotations

import errno
import fcntl
import os
import select
import signal
import struct
import termios
from collections.abc import Callable
from contextlib import ExitStack

import trio

from protocol.errors import EngineStartError, HubFault
from protocol.process import bubblewrap, machine, sandbox, starter
from protocol.process.starter import StartedProcess
from protocol.spec import EngineSpec

STDERR_TAIL = 65_536
"""How many of the last bytes of standard error are kept."""

_CHUNK = 65_536
_OUTPUT_CHUNK = 16_384  # bounded, because other games of this referee wait while its lines are parsed
_HUB_FAULTS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.ENOSPC, errno.EDQUOT})
_HUB_FAULT_ENDS = ("Cannot fork", *map(os.strerror, _HUB_FAULTS))
"""How the error message of a shell, of `unshare` or of bubblewrap ends if it cannot start another process."""

_POLL = 0.05
_SELECTABLE = 1024  # the descriptors that `select` can wait for
_TICK = 0.001  # seconds; `poll` waits for whole milliseconds
_FLOOD_PAUSE = 0.002
_SIGNALLED = 128  # bubblewrap's and a shell's exit code for an engine killed by signal N is 128 + N
_BWRAP_FAILED = "exit code 1"
_NAMESPACE_FAILED = ("exit code 1", "exit code 2", "exit code 254")
"""How `unshare`, or the shell in the new namespace, exits if it cannot start another process."""


class EngineProcess:
    """A running engine, whose process id is also the id of its process group and session."""

    def __init__(self, started: StartedProcess, folder: str | None = None) -> None:
        """Wrap a process with three unbuffered pipes, and a folder to remove after it has ended."""
        popen = self._popen = started.popen
        self._folder = folder
        self._relayed = started.relayed
        self._status = started.status
        self._status_text = b""
        self.pid = popen.pid
        pipes = (popen.stdin, popen.stdout, popen.stderr)
        self._stdin, self._stdout, self._stderr = (pipe.fileno() for pipe in pipes if pipe)
        for descriptor in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(descriptor, False)
        self._pidfd = os.pidfd_open(popen.pid) if hasattr(os, "pidfd_open") else -1
        self._tail = bytearray()
        self._drain_scope = trio.CancelScope()
        self._exit_lock = trio.Lock()
        self._readable = [self._stdout]
        self._poll = select.poll()
        self._poll.register(self._stdout, select.POLLIN)
        self._rest: int | None = None  # bytes of output left to read, once the process has ended
        self._disposed = False

    @classmethod
    async def start(cls, spec: EngineSpec, *, own_pids: bool = True) -> EngineProcess:
        """Start the engine.

        If this is cancelled, no process stays behind. Unless ``own_pids`` is False, it is in a process
        namespace if this machine makes one. EngineStartError: the engine or its configuration is wrong.
        HubFault: this machine cannot start another process or thread.
        """
        try:
            with ExitStack() as undo:
                folder = None
                if spec.sandbox == "folder":
                    folder = machine.make_folder()
                    undo.callback(starter.remove_folder_soon, folder)
                home = bubblewrap.OWN_FOLDER if spec.sandbox == "bwrap" else folder
                environment = sandbox.environment(spec, home)
                started = await starter.start(spec, folder or spec.cwd, environment, own_pids=own_pids)
                undo.callback(starter.abandon, started)
                process = cls(started, folder)
                undo.pop_all()
                return process
        except EngineStartError as error:
            raise EngineStartError(f"cannot be started: {error}") from error
        except OSError as error:
            if error.errno in _HUB_FAULTS:
                raise _fault(os.strerror(error.errno)) from error
            raise EngineStartError(f"cannot be started: {error}") from error
        except RuntimeError as error:
            raise HubFault(f"this machine cannot start another thread: {error}") from error

    # --- bytes

    def write_now(self, data: bytes) -> int:
        """Write as many bytes as the pipe takes without waiting, and return their number."""
        try:
            return os.write(self._stdin, data)
        except BlockingIOError:
            return 0

    async def wait_writable(self) -> None:
        """Wait until the pipe takes more bytes."""
        await trio.lowlevel.wait_writable(self._stdin)

    @property
    def unread(self) -> int | None:
        """The number of written bytes that the engine has not read; None if the system cannot say."""
        return _bytes_in(self._stdin)

    async def read(self) -> bytes:
        """Wait for output and return it; b"" at end of file, and when the process has ended."""
        data = None
        while data is None:
            if self._rest is None:
                try:
                    await trio.lowlevel.wait_readable(self._stdout)
                except trio.ClosedResourceError:
                    pass  # see wait_exit and dispose
            else:
                await trio.lowlevel.checkpoint()
            data = self._read_now(self._rest)
        return data

    def read_soon(self, seconds: float) -> bytes | None:
        """Return output that comes within ``seconds``; None if none does. No task runs meanwhile."""
        if self._rest is not None:
            return None
        if 0 < seconds < _TICK:
            if self._stdout >= _SELECTABLE or not select.select(self._readable, (), (), seconds)[0]:
                return None
        elif not self._poll.poll(seconds * 1000):  # it takes half as long as `select`
            return None
        return self._read_now(None)

    def _read_now(self, rest: int | None) -> bytes | None:
        """Read without waiting: at most ``rest`` bytes, if it is given. None: there is no output yet."""
        if rest is None:
            try:
                return os.read(self._stdout, _OUTPUT_CHUNK)
            except BlockingIOError:
                return None
        if not rest:
            return b""
        try:
            data = os.read(self._stdout, min(rest, _OUTPUT_CHUNK))
        except BlockingIOError:
            data = b""  # another process has read it
        self._rest = rest - len(data) if data else 0
        return data

    async def drain_stderr(self, note: Callable[[bytes], None]) -> None:
        """Keep the tail of standard error. In a task of its own, it lets `read` end with the process."""
        with self._drain_scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self.wait_exit)
                await self._read_stderr(note)

    async def _read_stderr(self, note: Callable[[bytes], None]) -> None:
        while True:
            await trio.lowlevel.wait_readable(self._stderr)
            if self._disposed:
                return  # the descriptor is closed; its number may belong to another file now
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
                await trio.sleep(_FLOOD_PAUSE)  # a flood must not delay the clocks of other games

    @property
    def stderr_tail(self) -> str:
        """The last part of the engine's standard error."""
        return self._tail.decode(errors="replace")

    # --- exit

    @property
    def exit_text(self) -> str:
        """The exit status in words, for example ``exit code 1``; "" while the process is running."""
        if not hasattr(os, "waitid"):  # macOS before Python 3.13; poll() reaps the process
            code = self._popen.poll()
            return "" if code is None else self._exit_text(code)
        status = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if status is None:
            return ""
        if status.si_code == os.CLD_EXITED:
            return self._exit_text(status.si_status)
        return self._exit_text(-status.si_status)

    def _exit_text(self, code: int) -> str:
        if self._relayed and _SIGNALLED < code < _SIGNALLED + signal.NSIG:  # exit(-1) is code 255
            code = _SIGNALLED - code
        try:
            return f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
        except ValueError:
            return f"signal {-code}"

    def set_alarm(self, alarm: trio.CancelScope, seconds: float) -> None:
        """Set a deadline."""
        alarm.deadline = trio.current_time() + seconds

    excused = None  # a pipe has no lag

    def shortage(self, *, greeted: bool) -> HubFault | None:
        """Return the error of bubblewrap or `unshare` if it lacked a resource to start the engine.

        An engine can print the same error. Under bubblewrap this does not help it: then bubblewrap's status
        has the engine's exit code, which the engine cannot remove. In a process namespace there is no such
        status. So a malicious engine can pretend that the machine failed, but not after it has ``greeted``.
        """
        if greeted or not self._relayed:
            return None
        last_line = self.stderr_tail.strip().rpartition("\n")[2]
        if not last_line.endswith(_HUB_FAULT_ENDS):
            return None
        if self._status is None:
            failed = self.exit_text in _NAMESPACE_FAILED and last_line.startswith(("unshare: ", "sh: "))
            return _fault(last_line) if failed else None
        if self.exit_text != _BWRAP_FAILED:
            return None
        try:
            self._status_text += os.read(self._status, _CHUNK)
        except BlockingIOError:
            pass  # no new status
        return None if b'"exit-code"' in self._status_text else _fault(last_line)

    async def wait_exit(self) -> None:
        """Wait until the process has ended. It stays a zombie, so no other process can get its group id."""
        async with self._exit_lock:
            if self._rest is not None:
                return
            if self._pidfd >= 0:
                await trio.lowlevel.wait_readable(self._pidfd)
            else:
                while not self.exit_text:  # noqa: ASYNC110 - without pidfds there is no event to wait for
                    await trio.sleep(_POLL)
            if self._rest is None:
                self._rest = _bytes_in(self._stdout) or 0
                trio.lowlevel.notify_closing(self._stdout)  # wakes the task in `read`

    def close_stdin(self) -> None:
        """Close the engine's standard input, so that it reads end of file."""
        if self._popen.stdin is not None and not self._popen.stdin.closed:
            trio.lowlevel.notify_closing(self._stdin)
            self._popen.stdin.close()

    def signal_group(self, number: signal.Signals) -> None:
        """Send a signal to the engine's process group."""
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):
            pass  # the group is empty; macOS raises PermissionError for a group of zombies

    def dispose(self) -> None:
        """Kill the rest of the group, reap the process and close all descriptors. This never waits long."""
        self.signal_group(signal.SIGKILL)
        self._popen.wait()
        starter.forget(self.pid)
        starter.kill_orphans_soon()
        if self._folder is not None:
            starter.remove_folder_soon(self._folder)
        self._rest = 0
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


def _fault(reason: str) -> HubFault:
    """Return the error for a process that could not be started, by the text of the system's error."""
    return HubFault(f"this machine cannot start another process: {reason}")


def _bytes_in(pipe: int) -> int | None:
    """Return the number of unread bytes in a pipe; None if the system cannot say."""
    try:
        (count,) = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))
    except OSError:
        return None
    return int(count)
