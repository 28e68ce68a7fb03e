"""What the kernel knows of an engine and of all that it started: Linux only, from ``/proc``."""

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
    """Of all processes of one session.

    Attributes:
        cpu: seconds of processor time used so far.
        memory: bytes of memory that are resident now.
    """

    cpu: float
    memory: int


def _stats(session: int) -> Iterator[tuple[int, list[str]]]:
    """Process id and the fields of ``stat`` from the state on, of every process of the session."""
    if not (_PROC / "self/stat").exists():
        raise Skip("needs /proc, which only Linux has")
    for folder in _PROC.iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
            except OSError:
                continue  # it has just ended
            if int(fields[3]) == session:
                yield int(folder.name), fields


def members(session: int) -> tuple[int, ...]:
    """The processes of a session that are alive; zombies are not.

    Raises:
        Skip: this is not Linux.
    """
    return tuple(pid for pid, fields in _stats(session) if fields[0] not in "ZX")


def usage(session: int) -> ProcessUsage:
    """What a session uses.

    Raises:
        Skip: this is not Linux.
    """
    ticks, pages = 0, 0
    for _, fields in _stats(session):
        ticks += int(fields[11]) + int(fields[12])
        pages += int(fields[21])
    return ProcessUsage(ticks / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE"))
