"""Finds out whether this machine can start processes while no engine runs."""

from __future__ import annotations

import shutil
import subprocess
import time
from contextlib import ExitStack
from typing import Final

import trio

__all__ = ["spare_processes"]

_COUNT: Final = 64
"""A sound machine can start this many processes. An engine that leaves fewer has taken the others."""

_PATIENCE: Final = 3.0
"""Seconds in which the processes of killed engines must have gone."""

_PAUSE: Final = 0.5


async def spare_processes() -> bool:
    """Start processes and end them again. If that fails, try again for some seconds.

    Returns:
        Whether the machine can start them.
    """
    try:
        return await trio.to_thread.run_sync(_wait_for_processes, abandon_on_cancel=True)
    except RuntimeError:  # not even a thread can start
        return False


def _wait_for_processes() -> bool:
    end = time.monotonic() + _PATIENCE
    while not _try():
        if time.monotonic() > end:
            return False
        time.sleep(_PAUSE)
    return True


def _try() -> bool:
    command = [shutil.which("cat") or "cat"]
    with ExitStack() as started:  # the end of its input ends each of them
        try:
            for _ in range(_COUNT):
                started.enter_context(
                    subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
                )
        except (OSError, RuntimeError):
            return False
    return True
