"""What the processes of an engine use, and how long they wait for a processor, from ``/proc`` (Linux only).

On a busy machine an engine is late without a fault of its own. The time limits of the checks leave out the
time that the machine withheld.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

from protocol.process.machine import process_stats

_PROC = Path("/proc")

SHOWS_PROCESSES = (_PROC / "self/stat").exists()
"""Whether this system has ``/proc``. Without it, nothing seems to run, to be used and to wait."""

Waits = Mapping[str, int]
"""By thread, the nanoseconds that it has waited for a processor. Threads end, so a sum could shrink."""


def processor_time(session: int) -> float:
    """Return the seconds of processor time that the processes of a session have used so far."""
    ticks = sum(int(fields[11]) + int(fields[12]) for _, fields in _stats(session))
    return ticks / os.sysconf("SC_CLK_TCK")


def memory(session: int) -> int:
    """Return the resident bytes of the processes of a session."""
    return sum(int(fields[21]) for _, fields in _stats(session)) * os.sysconf("SC_PAGE_SIZE")


def members(session: int) -> tuple[int, ...]:
    """Return the ids of the processes of a session, without zombies."""
    return tuple(pid for pid, fields in _stats(session) if fields[0] not in "ZX")


def _stats(session: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the id of each process of a session, and its fields as `process_stats`."""
    if SHOWS_PROCESSES:
        yield from ((pid, fields) for pid, fields in process_stats() if int(fields[3]) == session)


def waits_here() -> Waits:
    """Return the wait of the current thread; empty if the system does not say."""
    return _waits("self", str(threading.get_native_id()))


def waits_of(session: int) -> Waits:
    """Return the waits of the current thread, and of all threads of the processes of a session."""
    waits = dict(waits_here())
    for pid in members(session):
        waits.update(_waits(str(pid)))
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
