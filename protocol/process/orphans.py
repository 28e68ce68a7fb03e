"""Finds and kills processes that outlive the engine that started them (on Linux).

The referee kills the whole process group of an engine. A process that has left the group (a daemon that
called ``setsid``) survives. When its parent ends, the kernel makes it a child of the nearest ancestor that is
a "child subreaper". `adopt` makes this process a subreaper, so every orphan of an engine becomes its child.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

__all__ = ["adopt", "adopting", "kill_orphans"]

_PR_SET_CHILD_SUBREAPER = 36
_TIMEOUT = 2.0
_PAUSE = 0.002
_TRIES = 3
"""How many times the list of children is read again. While a fork bomb runs, the list always differs."""

_adopting = False


def adopt() -> bool:
    """Make orphaned descendants of this process its children from now on.

    Returns:
        Whether the system supports that.
    """
    global _adopting  # noqa: PLW0603 - it is a property of the process
    if sys.platform == "linux":
        # The standard library has no prctl, and another program cannot call it for this process.
        _adopting = bool(ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)
    return _adopting


def adopting() -> bool:
    """Return whether `adopt` was called and the system supports it."""
    return _adopting


def kill_orphans(keep: Collection[int]) -> int:
    """Kill the children of this process, except those in its own process group and in the groups ``keep``.

    An engine cannot join the group of this process, because it is in a session of its own. This blocks for
    two seconds at most. No killed process is reaped before all are dead. Until then the dead ones count
    against a limit on processes. So under such a limit a fork bomb cannot start new processes in place
    of the dead ones, even if its processes leave their groups.

    Args:
        keep: the ids of process groups to spare.

    Returns:
        The number of killed processes.
    """
    killed: set[int] = set()
    spared = {os.getpgrp(), *keep}
    end = time.monotonic() + _TIMEOUT
    while True:
        orphans = [child for child in _children() if child.group not in spared]
        alive = [child.pid for child in orphans if child.state not in "ZX"]
        if not alive or time.monotonic() > end:
            break
        for pid in alive:
            os.kill(pid, signal.SIGKILL)  # the child is not reaped yet, so the id is still its own
        killed.update(alive)
        time.sleep(_PAUSE)
    for child in orphans:
        try:
            os.waitpid(child.pid, os.WNOHANG)
        except ChildProcessError:
            pass
    return len(killed)


class _Child(NamedTuple):
    pid: int
    group: int
    state: str


def _children() -> list[_Child]:
    """Return all children of this process, including zombies."""
    return [child for pid in _candidates() if (child := _child(pid)) is not None]


def _candidates() -> list[str]:
    """Return the process ids among which all children of this process are.

    The kernel lists the children of each thread if it was built with ``CONFIG_PROC_CHILDREN``, as most are.
    Otherwise these are the ids of all processes, and looking at all of them takes milliseconds. The kernel
    can leave a child out of its list if another one is reaped meanwhile. So the list is read until it is the
    same twice in a row.
    """
    listed = _listed()
    for _ in range(_TRIES if listed is not None else 0):
        again = _listed()
        if again is None:
            break
        if again == listed:
            return listed
        listed = again
    return [entry.name for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _listed() -> list[str] | None:
    """Return the kernel's list of the children of all threads; None if there is none."""
    try:
        return [
            pid
            for thread in Path("/proc/self/task").iterdir()
            for pid in (thread / "children").read_text(encoding="ascii").split()
        ]
    except OSError:
        return None  # the kernel has no such lists, or a thread has just ended


def _child(pid: str) -> _Child | None:
    """Return a process if it is a child of this one."""
    try:
        text = Path(f"/proc/{pid}/stat").read_bytes().decode(errors="replace")
    except OSError:
        return None  # it has just ended
    state, parent, group, *_ = text.rpartition(")")[2].split()
    return _Child(int(pid), int(group), state) if parent == str(os.getpid()) else None
