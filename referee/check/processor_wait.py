"""Reads how long an engine or the checker waited for a processor, from ``/proc`` (Linux only).

On a busy machine an engine is late without a fault of its own. The time limits of the checks leave out the
time that the machine withheld.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path

from referee.check.failures import Skip
from referee.check.process_usage import members

__all__ = ["Waits", "waited_since", "waits_here", "waits_of"]

_PROC = Path("/proc")

Waits = Mapping[str, int]
"""By thread, the nanoseconds that it has waited for a processor. Threads end, so a sum could shrink."""


def waits_here() -> Waits:
    """Return the wait of the current thread; empty if the system does not say."""
    return _waits("self", str(threading.get_native_id()))


def waits_of(session: int) -> Waits:
    """Return the waits of the current thread, and of all threads of the processes of a session."""
    waits = dict(waits_here())
    try:
        for pid in members(session):
            waits.update(_waits(str(pid)))
    except Skip:
        pass
    return waits


def waited_since(earlier: Waits, now: Waits) -> float:
    """Return the seconds that all threads have waited since ``earlier``; the waits of threads are added."""
    return sum(max(0, waited - earlier.get(thread, 0)) for thread, waited in now.items()) / 1e9


def _waits(pid: str, *threads: str) -> Waits:
    waits = {}
    try:
        folder = _PROC / pid / "task"
        for thread in threads or [task.name for task in folder.iterdir()]:
            waits[thread] = int((folder / thread / "schedstat").read_text().split()[1])
    except (OSError, IndexError):
        pass  # it has just ended, or this kernel does not count
    return waits
