"""Find processes by their parent or command line, and wait for their end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

import psutil

__all__ = ["assert_gone", "children", "engines", "running", "wait_for", "with_argument", "with_name"]

PATIENCE = 60.0  # seconds; long enough for a busy machine


def children(pid: int) -> list[int]:
    """Return the processes that a process has started or adopted; none if it is gone."""
    try:
        return [child.pid for child in psutil.Process(pid).children()]
    except psutil.NoSuchProcess:
        return []


def engines(pid: int) -> list[int]:
    """Return the engines of a referee, all of which are Python programs.

    A guard is a child of the referee, too. In a process namespace an engine is a grandchild.
    """
    try:
        found = psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []
    return [process.pid for process in found if _name(process).startswith("python")]


def _name(process: psutil.Process) -> str:
    try:
        return process.name()
    except psutil.Error:
        return ""  # it has just ended


def running(pid: int) -> bool:
    """Return whether a process still runs; a zombie does not."""
    try:
        return psutil.Process(pid).status() not in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
    except psutil.NoSuchProcess:
        return False


def with_argument(word: str, folder: Path | None = None) -> list[int]:
    """Return the processes with ``word`` in their command line, and running in ``folder`` if it is given."""
    pids = []
    for process in psutil.process_iter():
        try:
            if word in " ".join(process.cmdline()) and folder in (None, Path(process.cwd())):
                pids.append(process.pid)
        except psutil.Error:
            pass  # it has just ended, or belongs to another user
    return pids


def with_name(name: str) -> list[int]:
    """Return the processes with this name; zombies keep their names."""
    return [process.pid for process in psutil.process_iter(["name"]) if process.info["name"] == name]


def wait_for(condition: Callable[[], object], what: str, seconds: float = PATIENCE) -> None:
    """Wait until the condition is true; fail with the message ``what`` after this many seconds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def assert_gone(pids: Iterable[int]) -> None:
    """Wait until none of the processes runs: the kernel needs some time to end a killed process."""
    pids = list(pids)
    wait_for(lambda: not any(map(running, pids)), f"some of the processes {pids} still run")
