"""Ends processes with the process that started them, even if it is killed or stopped (on Linux).

- The kernel sends the *parent-death signal* (``PR_SET_PDEATHSIG``) when the *thread* that started a process
  ends. So that thread must live as long as the processes that it starts.
- The referee kills the whole process group of an engine. A process that has left the group (a daemon that
  called ``setsid``) survives. When its parent ends, the kernel makes it a child of the nearest ancestor that
  is a *child subreaper*. `adopt_orphans` makes this process a subreaper, so every orphan of an engine becomes
  its child.
- A daemon that forks and exits in a tight loop is quicker than any program that looks for it. Only the
  kernel can end it: with the *process namespace* of its engine. bubblewrap makes one in any case.
- The *guard* outlives this process for a moment, to kill the process groups of engines: if this process is
  killed, the kernel kills only the engines. It is a shell that waits for the end of its input, which is a
  pipe from this process. The parent-death signal SIGCONT wakes it, even if somebody has stopped it.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection
from contextlib import suppress
from typing import Final

from protocol.process import machine
from protocol.process.machine import search_path

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_ORPHANS_SECONDS = 2.0
_KILL_SECONDS = 0.002  # between two looks whether all orphans are dead
_adopting = False


def death_signal(name: str = "KILL") -> list[str]:
    """Return the words before a command that let the kernel signal it at the end of the starting thread."""
    setpriv = machine.which("setpriv")
    return [setpriv, "--pdeathsig", name, "--"] if setpriv else []


def die_with_parent(parent: int) -> None:
    """Let the kernel kill this process with its parent (Linux); SystemExit if that has ended already."""
    if sys.platform == "linux":
        # The standard library has no prctl, and `setpriv` may be missing.
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:  # it ended before the call
        raise SystemExit(f"process {parent}, which started this one, has ended")


# --- process namespaces ----------------------------------------------------------------------------------

VARIABLE: Final = "ARENA_CONTAINMENT"
"""The environment variable with which tests do without process namespaces, if it is ``none``."""


def namespace() -> list[str]:
    """Return the words before a command that start it in a process namespace.

    Signals that the first process of a namespace does not handle have no effect on it. So this is a shell,
    and the engine is the second process. If a signal N ends the engine, the shell's exit code is 128 + N.
    """
    # Root keeps its rights over files only without a user namespace.
    user = [] if os.geteuid() == 0 else ["--user", "--map-current-user"]
    unshare, sh = map(machine.tool, ("unshare", "sh"))
    return [unshare, *user, "--pid", "--fork", "--kill-child=KILL", "--", sh, "-c", '"$@"; exit $?', "sh"]


def namespace_trouble() -> str:
    """Return why this machine makes no process namespace; "" if it does."""
    if os.environ.get(VARIABLE) == "none":
        return f"{VARIABLE} is none"
    return machine.complaint(*namespace(), "true")


# --- orphans ---------------------------------------------------------------------------------------------


def adopt_orphans() -> bool:
    """Make orphaned descendants of this process its children from now on; return whether the system can."""
    global _adopting  # noqa: PLW0603 - it is a property of the process
    if sys.platform == "linux":
        # The standard library has no prctl, and another program cannot call it for this process.
        _adopting = bool(ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)
    return _adopting


def adopts_orphans() -> bool:
    """Return whether `adopt_orphans` was called and the system supports it."""
    return _adopting


def kill_orphans(keep: Collection[int]) -> int:
    """Kill the children of this process, except those in its own process group and in the groups ``keep``.

    Return how many were killed. An engine cannot join the group of this process, because it is in a session
    of its own. This blocks for two seconds at most. No killed process is reaped before all are dead. Until
    then the dead ones count against a limit on processes. So under such a limit a fork bomb cannot start new
    processes in place of the dead ones, even if its processes leave their groups.
    """
    killed: set[int] = set()
    spared = {os.getpgrp(), *keep}
    end = time.monotonic() + _ORPHANS_SECONDS
    while True:
        orphans = [(pid, fields[0]) for pid, fields in _children() if int(fields[2]) not in spared]
        alive = [pid for pid, state in orphans if state not in "ZX"]
        if not alive or time.monotonic() > end:
            break
        for pid in alive:
            os.kill(pid, signal.SIGKILL)  # the child is not reaped yet, so the id is still its own
        killed.update(alive)
        time.sleep(_KILL_SECONDS)
    for pid, _ in orphans:
        with suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
    return len(killed)


def _children() -> list[tuple[int, list[str]]]:
    """Return all children of this process, including zombies, as `machine.process_stats` does."""
    parent = str(os.getpid())
    return [(pid, fields) for pid, fields in machine.process_stats() if fields[1] == parent]


# --- the guard -------------------------------------------------------------------------------------------

_SCRIPT = (
    'groups=" "; while read -r sign id; do case $sign$groups in +*" $id "*) ;; +*) groups="$groups$id ";;'
    ' *" $id "*) groups="${groups%% $id *} ${groups#* $id }";; esac; done;'
    ' for id in $groups; do kill -KILL "-$id"; done'
)


class Guard:
    """A running guard. Start it in a thread that lives as long as this process."""

    def __init__(self) -> None:
        self._popen = subprocess.Popen(
            [*death_signal("CONT"), machine.tool("sh"), "-c", _SCRIPT],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=os.environ | {"PATH": search_path()},
            start_new_session=True,  # Ctrl-C must not end it
        )
        self.pid = self._popen.pid
        assert self._popen.stdin is not None
        self._pipe = self._popen.stdin
        os.set_blocking(self._pipe.fileno(), False)

    def note(self, sign: str, group: int) -> None:
        """Tell the guard about a process group that it must kill (``+``), or that has ended (``-``)."""
        with suppress(OSError):  # it was killed, or it was stopped and its pipe is full
            self._pipe.write(f"{sign} {group}\n".encode())

    def forget(self) -> None:
        """Close the pipe, so that the guard kills what is noted and ends."""
        self._pipe.close()
        self._popen.returncode = 0  # nobody waits for it: it ends after the process that started it
