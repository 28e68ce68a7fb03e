"""Reads the processor time and memory of an engine and its child processes from ``/proc`` (Linux only)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from referee.check.failures import Skip

__all__ = ["ProcessUsage", "members", "usage"]

_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class ProcessUsage:
    """The resources that all processes of one session use.

    Attributes:
        cpu: seconds of processor time so far.
        memory: bytes of resident memory.
    """

    cpu: float
    memory: int


def _stats(session: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the id of each process of a session, and the fields of its ``stat`` file from the state on."""
    if not (_PROC / "self/stat").exists():
        raise Skip("needs /proc, which only Linux has")
    # The checks look often, and there can be thousands of processes: pathlib takes twice as long.
    for name in os.listdir(_PROC):  # noqa: PTH208
        if name.isdigit():
            try:
                with open(f"{_PROC}/{name}/stat", "rb", buffering=0) as file:  # noqa: PTH123
                    stat = file.read()
            except OSError:
                continue  # it has just ended
            fields = stat.rpartition(b")")[2].decode("ascii").split()
            if int(fields[3]) == session:
                yield int(name), fields


def members(session: int) -> tuple[int, ...]:
    """Return the ids of the processes of a session, without zombies.

    Raises:
        Skip: this is not Linux.
    """
    return tuple(pid for pid, fields in _stats(session) if fields[0] not in "ZX")


def usage(session: int) -> ProcessUsage:
    """Return the resources that a session uses.

    Raises:
        Skip: this is not Linux.
    """
    ticks, pages = 0, 0
    for _, fields in _stats(session):
        ticks += int(fields[11]) + int(fields[12])
        pages += int(fields[21])
    return ProcessUsage(ticks / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE"))
