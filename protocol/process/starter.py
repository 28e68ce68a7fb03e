"""Starts engines, kills their orphans, and removes their folders, in threads of its own.

The kernel kills an engine when the *thread* that started it ends (``PR_SET_PDEATHSIG``). So one thread starts
all engines, and lives as long as the interpreter.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import signal
import struct
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import NamedTuple

import trio

from protocol.process import bubblewrap, machine, sandbox
from protocol.process.lifetime import Guard, adopts_orphans, kill_orphans, namespace, namespace_trouble
from protocol.spec import EngineSpec

_Spawn = Callable[..., subprocess.Popen[bytes]]
"""Starts a process from a command and the descriptors that it inherits."""

_leaders: set[int] = set()
"""The process ids of all running engines. Any other child of this process is an orphan of an engine."""


_STARTER, _REMOVER = "engine-starter", "engine-remover"
"""The thread that starts engines and kills their orphans, and the one that removes what they leave.

The removal takes long if an engine has filled a folder.
"""

_threads: dict[str, ThreadPoolExecutor] = {}
"""The threads of this module by name. A thread starts when it is first needed."""


_guards: list[Guard] = []
"""The guard of this process, if it has started an engine."""


@atexit.register
def _forget_guard() -> None:
    # A guard ends after this process, and Python would warn that nobody has waited for it.
    for guard in _guards:
        guard.forget()


def _thread(name: str) -> ThreadPoolExecutor:
    """Return a pool of one thread that has started, or raise RuntimeError if it cannot start.

    Without the first, empty task the caller would get this error for a real task, and the task would stay in
    the queue.
    """
    if name not in _threads:
        pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        pool.submit(int)
        _threads[name] = pool
    return _threads[name]


def let_engines_run_first() -> None:
    """Let the calling thread wait while an engine has the processor that it shares with its engines.

    An engine writes several lines during a search. By default Linux stops it after each line, until the line
    is read; a search of Stockfish with 100 nodes is stopped five times, and its caches are lost. With the
    policy ``SCHED_BATCH`` the reader gets the processor when the engine waits for input, which is directly
    after ``bestmove``, or when the engine has used the processor for some milliseconds. The threads of this
    module, and so the engines, keep the usual policy.
    """
    if not hasattr(os, "SCHED_BATCH") or os.sched_getscheduler(0) != os.SCHED_OTHER:
        return  # macOS, or the user has chosen a policy
    with suppress(OSError, RuntimeError):  # a container forbids it, or no thread can start
        for name in (_STARTER, _REMOVER):
            _thread(name)
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


_SLICE_NS = 100_000  # the shortest that Linux grants
_SCHED_SETATTR = {"x86_64": 314, "aarch64": 274}  # the number of the system call


def run_soon_after_waiting() -> None:
    """Let the calling thread get a processor sooner, if others use all of them (since Linux 6.12).

    By default each thread runs for some milliseconds before the next one gets the processor. A thread that
    asks for short slices need not wait so long, and its share remains the same. The threads of this module,
    and so the engines, keep the usual slices.
    """
    number = _SCHED_SETATTR.get(os.uname().machine) if sys.platform == "linux" else None
    if number is None or os.sched_getscheduler(0) != os.SCHED_OTHER:
        return
    with suppress(OSError, RuntimeError):  # no thread can start
        for name in (_STARTER, _REMOVER):
            _thread(name)
        # The size of the struct, policy, flags, nice, priority of real time, slice, deadline, period.
        nice = os.getpriority(os.PRIO_PROCESS, 0)
        attributes = struct.pack("=IIQiIQQQ", 48, os.SCHED_OTHER, 0, nice, 0, _SLICE_NS, 0, 0)
        # The standard library has no sched_setattr. If the kernel refuses, everything is as usual.
        ctypes.CDLL(None).syscall(number, 0, attributes, 0)


def _soon(name: str, task: Callable[..., object], *arguments: object) -> None:
    """Let a thread do a task; do not wait. If it cannot start, the guard or the next referee cleans up."""
    with suppress(RuntimeError):
        _thread(name).submit(task, *arguments)


def kill_orphans_soon() -> None:
    """Kill the orphans of engines, if `adopt_orphans` works on this system. Does not wait."""
    if adopts_orphans():
        _soon(_STARTER, _kill_orphans)


def _kill_orphans() -> None:
    kill_orphans({*_leaders, *(guard.pid for guard in _guards)})


class StartedProcess(NamedTuple):
    """A process, which leads a process group and a session.

    ``status`` is the descriptor from which bubblewrap's status reports are read. If it is ``relayed``, the
    process only waits for the engine, and ends with its exit code, or with 128 + N if a signal N ended the
    engine.
    """

    popen: subprocess.Popen[bytes]
    status: int | None = None
    relayed: bool = False


async def start(
    spec: EngineSpec, folder: str | None, environment: dict[str, str], *, own_pids: bool = True
) -> StartedProcess:
    """Start an engine.

    If this is cancelled, no process stays behind. Unless ``own_pids`` is False, it is in a process namespace
    if this machine makes one. A wrong configuration is an EngineStartError. If the system cannot start the
    process or a thread, this is an OSError or a RuntimeError.
    """
    spawn = partial(_popen, folder=folder, environment=environment)
    return await _settled(_thread(_STARTER).submit(_spawn, spec, spawn, own_pids))


def _spawn(spec: EngineSpec, spawn: _Spawn, own_pids: bool) -> StartedProcess:
    """Start an engine; runs in the starter's thread, so never while `kill_orphans` runs."""
    # Namespaces need the guard, too: `unshare` and bubblewrap take a moment to tell the kernel which
    # processes end with them. If somebody kills them before that, only the guard ends the engine.
    if not _guards:
        _guards.append(Guard())
    if spec.sandbox == "bwrap":
        return _spawn_in_bubblewrap(spec, spawn)
    contained = namespace() if own_pids and not namespace_trouble() else []
    return StartedProcess(spawn(sandbox.command_line(spec, contained=contained)), relayed=bool(contained))


def _spawn_in_bubblewrap(spec: EngineSpec, spawn: _Spawn) -> StartedProcess:
    bubblewrap.hide_keys()
    status, status_writer = os.pipe()
    try:
        os.set_blocking(status, False)
        popen = spawn(sandbox.command_line(spec, status_writer), inherited=(status_writer,))
        user = bubblewrap.user()
        if user is not None:
            for pipe in (popen.stdin, popen.stdout, popen.stderr):
                if pipe is not None:
                    os.fchown(pipe.fileno(), user, -1)  # so that the engine may open /dev/stdout, for example
        return StartedProcess(popen, status, relayed=True)
    except BaseException:
        os.close(status)
        raise
    finally:
        os.close(status_writer)


def _popen(
    command: list[str], folder: str | None, environment: dict[str, str], inherited: Sequence[int] = ()
) -> subprocess.Popen[bytes]:
    popen = subprocess.Popen[bytes](
        command,
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env=environment,
        start_new_session=True,
        pass_fds=inherited,
    )
    _leaders.add(popen.pid)
    for guard in _guards:
        guard.note("+", popen.pid)
    return popen


def abandon(started: StartedProcess) -> None:
    """Kill a process that no one uses, and free its resources."""
    with started.popen as popen, suppress(ProcessLookupError):
        os.killpg(popen.pid, signal.SIGKILL)
    if started.status is not None:
        os.close(started.status)
    forget(popen.pid)


def forget(pid: int) -> None:
    """Note that an engine was reaped: its process id may belong to another process now."""
    _leaders.discard(pid)
    for guard in _guards:
        guard.note("-", pid)


def remove_folder_soon(folder: str) -> None:
    """Remove an engine's folder. Does not wait."""
    _soon(_REMOVER, machine.remove_folder, folder)


def remove_abandoned_soon() -> None:
    """Remove the folders that killed referees have left. Does not wait."""
    _soon(_REMOVER, machine.remove_abandoned_folders)


async def _settled(future: Future[StartedProcess]) -> StartedProcess:
    """Wait for a future of the starter thread. If this is cancelled, kill the process that it starts."""
    try:
        return await trio.to_thread.run_sync(future.result, abandon_on_cancel=True)
    except BaseException:  # also if trio can start no thread
        if not future.cancel():
            future.add_done_callback(_discard)
        raise


def _discard(future: Future[StartedProcess]) -> None:
    """Kill a started process for which no task waits."""
    if not future.cancelled() and future.exception() is None:
        abandon(future.result())
