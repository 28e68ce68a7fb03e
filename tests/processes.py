"""Processes seen from outside: children, descendants, and those that carry a mark."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

import psutil

__all__ = ["assert_gone", "children", "running", "wait_for", "with_argument"]

PATIENCE = 60.0  # seconds: for a busy machine


def children(pid: int) -> list[int]:
    """The processes that a process has started or adopted; none if it is gone."""
    try:
        return [child.pid for child in psutil.Process(pid).children()]
    except psutil.NoSuchProcess:
        return []


def running(pid: int) -> bool:
    """Whether a process still runs: a zombie does not."""
    try:
        return psutil.Process(pid).status() not in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
    except psutil.NoSuchProcess:
        return False


def with_argument(word: str, folder: Path | None = None) -> list[int]:
    """Processes with ``word`` somewhere in their command line, and in ``folder`` if one is named."""
    found = []
    for process in psutil.process_iter():
        try:
            if word in " ".join(process.cmdline()) and folder in (None, Path(process.cwd())):
                found.append(process.pid)
        except psutil.Error:
            pass  # it has just ended, or is not ours to look at
    return found


def wait_for(condition: Callable[[], object], what: str, seconds: float = PATIENCE) -> None:
    """Wait until something is so, and fail with ``what`` when it does not come about."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def assert_gone(pids: Iterable[int]) -> None:
    """Wait until none of the processes runs: the kernel takes its time to take a killed one apart."""
    pids = list(pids)
    wait_for(lambda: not any(map(running, pids)), f"some of the processes {pids} still run")
