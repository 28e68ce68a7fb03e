"""What is done for engines in threads of its own: they are started, and what they leave behind is removed.

The signal by which the kernel ends an engine whose referee has died follows the *thread* that started the
engine. So one thread starts all engines, and lives as long as the interpreter.
"""

from __future__ import annotations

import os
import signal
import subprocess
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
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
"""The engines that run: whatever else is a child of ours was left behind by one."""


@cache
def _starter() -> ThreadPoolExecutor:
    return _thread("engine-starter")


@cache
def _remover() -> ThreadPoolExecutor:
    """Removes folders, which can take long if an engine filled one."""
    return _thread("engine-remover")


def _thread(name: str) -> ThreadPoolExecutor:
    """A thread, started now: a pool that cannot start one keeps its task and does it when it can."""
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
    thread.submit(int)
    return thread


def kill_orphans_soon() -> None:
    """Kill what engines left behind outside their groups, where orphans are adopted; waits for nothing."""
    if orphans.adopting():
        try:
            _starter().submit(orphans.kill_orphans, _leaders)  # not while an engine is being started there
        except RuntimeError:
            pass  # no thread to be had, and so no engine either


class StartedProcess(NamedTuple):
    """A process, and the descriptor from which is read what bubblewrap tells."""

    popen: subprocess.Popen[bytes]
    status: int | None


async def start(spec: EngineSpec, folder: str | None, environment: dict[str, str]) -> StartedProcess:
    """Start an engine; cancelled meanwhile, it leaves no process behind.

    Args:
        spec: the engine.
        folder: where it starts; None for where we are.
        environment: all of its variables.

    Raises:
        EngineStartError: it cannot be started as it is configured.
        OSError: or the system refuses it.
        RuntimeError: there is no thread to be had.
    """
    return await _settled(_starter().submit(_spawn, spec, folder, environment))


def _spawn(spec: EngineSpec, folder: str | None, environment: dict[str, str]) -> StartedProcess:
    """Start it: in the starter's thread, where `kill_orphans_soon` looks for those that are none."""
    if spec.sandbox != "bwrap":
        return StartedProcess(_popen(sandbox.command_line(spec), folder, environment), None)
    status, told = os.pipe()
    try:
        os.set_blocking(status, False)
        command = sandbox.command_line(spec, told)
        return StartedProcess(_popen(command, folder, environment, told), status)
    except BaseException:
        os.close(status)
        raise
    finally:
        os.close(told)


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
    """End a process that nobody has a use for."""
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
    """An engine has ended and was reaped: its number may be anybody's now."""
    _leaders.discard(pid)


def remove_folder_soon(folder: str) -> None:
    """Remove an engine's folder; waits for nothing."""
    try:
        _remover().submit(sandbox.remove_folder, folder)
    except RuntimeError:
        pass  # no thread to be had: the next referee removes it


def remove_abandoned_soon() -> None:
    """Remove the folders of engines whose referees were killed; waits for nothing."""
    try:
        _remover().submit(sandbox.remove_abandoned)
    except RuntimeError:
        pass  # no thread to be had: the next referee removes them


async def _settled(future: Future[StartedProcess]) -> StartedProcess:
    """Await a future of the starter thread; if cancelled, end what it has started."""
    token = trio.lowlevel.current_trio_token()
    done = trio.Event()

    def wake(_: Future[StartedProcess]) -> None:
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


def _discard(future: Future[StartedProcess]) -> None:
    """End a process that nobody waits for any more."""
    if not future.cancelled() and future.exception() is None:
        abandon(future.result())
