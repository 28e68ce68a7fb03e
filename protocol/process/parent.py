"""Ends a process when the process that started it ends, even if it is stopped (on Linux).

The kernel sends the "parent-death signal" (``PR_SET_PDEATHSIG``) when the *thread* that started a process
ends. So that thread must live as long as the processes that it starts.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

from protocol.process.machine import MACHINE

__all__ = ["death_signal", "die_with_parent"]

_PR_SET_PDEATHSIG = 1


def death_signal(name: str = "KILL") -> list[str]:
    """Return the words before a command, so that the kernel signals the command when its starter ends.

    The starter is the thread that starts the command. The words need `setpriv` of util-linux. Without it, the
    list is empty.
    """
    setpriv = MACHINE.which("setpriv")
    return [setpriv, "--pdeathsig", name, "--"] if setpriv else []


def die_with_parent(parent: int) -> None:
    """Let the kernel kill this process when its parent ends. Outside Linux, only check the parent.

    Args:
        parent: the process id of the parent.

    Raises:
        SystemExit: the parent has ended already, or the process has another parent.
    """
    if sys.platform == "linux":
        # The standard library has no prctl, and `setpriv` may be missing.
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:  # it ended before the call
        raise SystemExit(f"process {parent}, which started this one, has ended")
