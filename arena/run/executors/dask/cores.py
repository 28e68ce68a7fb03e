"""Leases of cores: no two games on a machine share a core, whichever process of the user plays them.

A core is leased by a lock on a file of its own, which the kernel releases when the process ends. So the
leases hold between several workers on one machine, and a killed worker leaves none behind.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

__all__ = ["leased_cores"]

_PAUSE: Final = 0.05


@contextmanager
def leased_cores(
    number: int, cores: Sequence[int], cancelled: Callable[[], bool], folder: Path | None = None
) -> Iterator[frozenset[int]]:
    """Wait until ``number`` of the cores are free, and lease them for the block.

    Args:
        number: how many cores.
        cores: the cores to choose from.
        cancelled: called again and again; when it returns True, the block gets no core.
        folder: where the files are; by default a folder of the user for temporary files.
    """
    folder = folder or Path(tempfile.gettempdir(), f"leapfrog-cores-{os.getuid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    leases: dict[int, int] = {}
    try:
        while len(leases) < number and not cancelled():
            for core in cores:
                if len(leases) < number and (lease := _lock(folder / str(core))) is not None:
                    leases[core] = lease
            if len(leases) < number:
                # These are too few: give them back, because they may be enough for another process.
                while leases:
                    os.close(leases.popitem()[1])
                time.sleep(_PAUSE)
        yield frozenset(leases)
    finally:
        for lease in leases.values():
            os.close(lease)


def _lock(path: Path) -> int | None:
    """Lock a file; return its descriptor, or None if somebody else has the lock."""
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor
