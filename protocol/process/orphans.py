"""Processes that outlive the engine which started them: adopted by us, found, and killed (on Linux).

An engine's group dies with it. A process that has left the group (a daemon that called ``setsid``) does not;
but when the process that started it ends, the kernel gives it to the nearest ancestor that asked for orphans.
We ask, so every process that an engine ever starts ends up as a child of ours, whatever it does to hide.
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
_PATIENCE = 2.0
_PAUSE = 0.002

_adopting = False


def adopt() -> bool:
    """Have orphans among our descendants become our children from now on; whether the system does that."""
    global _adopting  # noqa: PLW0603 - it is a property of the process
    if sys.platform == "linux":
        # The standard library has no prctl, and a program that calls it does so for itself.
        _adopting = bool(ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)
    return _adopting


def adopting() -> bool:
    """Whether `adopt` was called and is in force."""
    return _adopting


def kill_orphans(keep: Collection[int]) -> int:
    """Kill the children of this process, except those of its own process group and of the groups ``keep``.

    An engine cannot join our group: it is in a session of its own. Blocks for two seconds at most. What is
    killed is not reaped before all are dead: till then it counts against a limit on processes, so that under
    such a limit not even a fork bomb whose processes leave their groups gets away.

    Returns:
        how many were killed.
    """
    killed: set[int] = set()
    spared = {os.getpgrp(), *keep}
    end = time.monotonic() + _PATIENCE
    while True:
        orphans = [child for child in _children() if child.group not in spared]
        alive = [child.pid for child in orphans if child.state not in "ZX"]
        if not alive or time.monotonic() > end:
            break
        for pid in alive:
            os.kill(pid, signal.SIGKILL)  # a child that nobody has reaped: the number is still its own
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
    """All children of this process, zombies too."""
    children, we = [], str(os.getpid())
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            text = (entry / "stat").read_bytes().decode(errors="replace")
        except OSError:
            continue  # it has just ended
        state, parent, group, *_ = text.rpartition(")")[2].split()
        if parent == we:
            children.append(_Child(int(entry.name), int(group), state))
    return children
