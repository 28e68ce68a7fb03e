"""Starts engines, kills their orphans and removes their folders, in threads of its own.

The kernel kills an engine when the *thread* that started it ends (``PR_SET_PDEATHSIG``). So one thread starts
all engines, and lives as long as the interpreter.
"""

from __future__ import annotations

import os
import signal
import subprocess
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

import trio

from protocol.process import orphans, sandbox
from protocol.spec import EngineSpec

__all__ = [
    "StartedProcess",
    "abandon",
    "forget",
    "kill_orphans_soon",
    "remove_abandoned_soon",
    "remove_folder_soon",
    "start",
]

_leaders: set[int] = set()
"""The process ids of all running engines. Any other child of this process is an orphan of an engine."""


_threads: dict[str, ThreadPoolExecutor] = {}
"""The threads of this module by name. A thread starts when it is first needed."""


def _after_fork() -> None:
    """Forget the threads and the engines of the parent: a forked process has neither."""
    _threads.clear()
    _leaders.clear()


os.register_at_fork(after_in_child=_after_fork)


def _starter() -> ThreadPoolExecutor:
    """Return the thread that starts engines and kills their orphans."""
    return _thread("engine-starter")


def _remover() -> ThreadPoolExecutor:
    """Return the thread that removes folders, which takes long if an engine has filled one."""
    return _thread("engine-remover")


def _thread(name: str) -> ThreadPoolExecutor:
    """Return a pool of one thread that has started.

    Raises:
        RuntimeError: the thread cannot start. Without the first, empty task the caller would get this error
            for a real task, and the task would stay in the queue.
    """
    if name not in _threads:
        pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        pool.submit(int)
        _threads[name] = pool
    return _threads[name]


def kill_orphans_soon() -> None:
    """Kill the orphans of engines, if `orphans.adopt` works on this system. Does not wait."""
    if orphans.adopting():
        try:
            _starter().submit(orphans.kill_orphans, _leaders)  # the thread that starts engines
        except RuntimeError:
            pass  # the thread cannot start, so no engine has started either


class StartedProcess(NamedTuple):
    """A process, and the descriptor from which bubblewrap's status reports are read."""

    popen: subprocess.Popen[bytes]
    status: int | None


async def start(spec: EngineSpec, folder: str | None, environment: dict[str, str]) -> StartedProcess:
    """Start an engine. If this is cancelled, no process stays behind.

    Args:
        spec: the engine's configuration.
        folder: its working directory; None for the current one.
        environment: all of its environment variables.

    Raises:
        EngineStartError: the configuration is wrong.
        OSError: the system cannot start the process.
        RuntimeError: the system cannot start a thread.
    """
    return await _settled(_starter().submit(_spawn, spec, folder, environment))


def _spawn(spec: EngineSpec, folder: str | None, environment: dict[str, str]) -> StartedProcess:
    """Start an engine; runs in the starter's thread, so never while `kill_orphans` runs."""
    if spec.sandbox != "bwrap":
        return StartedProcess(_popen(sandbox.command_line(spec), folder, environment), None)
    status, status_writer = os.pipe()
    try:
        os.set_blocking(status, False)
        command = sandbox.command_line(spec, status_writer)
        return StartedProcess(_popen(command, folder, environment, status_writer), status)
    except BaseException:
        os.close(status)
        raise
    finally:
        os.close(status_writer)


def _popen(
    command: list[str], folder: str | None, environment: dict[str, str], *inherited: int
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
    return popen


def abandon(started: StartedProcess) -> None:
    """Kill a process that no one uses, and free its resources."""
    popen = started.popen
    try:
        os.killpg(popen.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    for pipe in (popen.stdin, popen.stdout, popen.stderr):
        if pipe is not None:
            pipe.close()
    if started.status is not None:
        os.close(started.status)
    popen.wait()
    forget(popen.pid)


def forget(pid: int) -> None:
    """Note that an engine was reaped: its process id may belong to another process now."""
    _leaders.discard(pid)


def remove_folder_soon(folder: str) -> None:
    """Remove an engine's folder. Does not wait."""
    try:
        _remover().submit(sandbox.remove_folder, folder)
    except RuntimeError:
        pass  # no thread can start; the next referee removes the folder


def remove_abandoned_soon() -> None:
    """Remove the folders that killed referees have left. Does not wait."""
    try:
        _remover().submit(sandbox.remove_abandoned)
    except RuntimeError:
        pass  # no thread can start; the next referee removes the folders


async def _settled(future: Future[StartedProcess]) -> StartedProcess:
    """Wait for a future of the starter thread. If this is cancelled, kill the process that it starts."""
    token = trio.lowlevel.current_trio_token()
    done = trio.Event()

    def wake(_: Future[StartedProcess]) -> None:
        try:
            token.run_sync_soon(done.set)
        except trio.RunFinishedError:
            pass  # trio has ended, and so has the task that waited

    future.add_done_callback(wake)
    try:
        await done.wait()
    except trio.Cancelled:
        if not future.cancel():
            future.add_done_callback(_discard)
        raise
    return future.result()


def _discard(future: Future[StartedProcess]) -> None:
    """Kill a started process for which no task waits any more."""
    if not future.cancelled() and future.exception() is None:
        abandon(future.result())
