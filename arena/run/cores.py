"""The processors of a run: how many each game gets, and the leases that keep runs on one machine apart."""

from __future__ import annotations

import fcntl
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from arena.errors import ConfigError
from protocol.process.machine import usable_cores
from protocol.words import counted

Cores = frozenset[int]  # the processors that a referee and its engines may use; empty for all
ANY: Cores = frozenset()

_PAUSE = 0.05  # seconds until a lease is tried again


def unpinned(games: int) -> tuple[Cores, ...]:
    """Return one entry for each referee when ``games`` run at once: at most one referee a processor."""
    return (ANY,) * min(max(1, games), len(usable_cores()))


def shares(games: int, usable: Sequence[int], *, one_each: bool = False) -> tuple[Cores, ...]:
    """Divide processors equally among referees, as for `unpinned`; with ``one_each`` each gets one."""
    count = min(max(1, games), len(usable))
    each = 1 if one_each else len(usable) // count
    return tuple(frozenset(usable[each * number : each * (number + 1)]) for number in range(count))


@contextmanager
def cores_of_run(
    games: int, affinity: bool | Literal["auto"], folder: Path | None = None
) -> Iterator[tuple[tuple[Cores, ...], str]]:
    """Choose the processors of each referee for the block; a text says why games have none of their own.

    With true the games are pinned whatever else runs on this machine. With ``"auto"`` they are pinned if
    there is a processor for each, and no other run has leased it.
    """
    can_pin, usable = hasattr(os, "sched_setaffinity"), usable_cores()
    if affinity is True and not can_pin:
        raise ConfigError("affinity = true: this system cannot pin a process to a processor; remove the key")
    crowded = (
        f"concurrency = {games}, but only {counted(len(usable), 'processor')}: engines wait for each other"
        " while their clocks run; set a lower concurrency"
    )
    if affinity is True:
        yield shares(games, usable, one_each=True), crowded if games > len(usable) else ""
    elif games > len(usable):
        yield unpinned(games), crowded
    elif affinity is False or not can_pin:
        yield unpinned(games), ""
    else:
        leases, cores = _Leases(folder), unpinned(games)
        problem = "another run has leased processors of this machine, so this one pins no games to processors"
        try:
            try:
                leases.take(usable, len(usable))
            except OSError as error:
                problem = f"no processors can be leased, so no games are pinned to them: {error}"
            if len(leases.held) >= games:
                cores, problem = shares(games, sorted(leases.held)), ""
            leases.give_back(except_for=ANY.union(*cores))
            yield cores, problem
        finally:
            leases.give_back()


@contextmanager
def pinned(cores: Cores) -> Iterator[None]:
    """Pin this thread for the block. A process that it starts stays pinned."""
    if cores == ANY or not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def leased_cores(
    number: int, cores: Sequence[int], cancelled: Callable[[], bool], folder: Path | None = None
) -> Iterator[Cores]:
    """Wait until ``number`` of the cores are free, and lease them for the block; none if it is cancelled."""
    leases = _Leases(folder)
    try:
        while len(leases.held) < number and not cancelled():
            leases.take(cores, number)
            if len(leases.held) < number:
                leases.give_back()  # these are too few, but may be enough for another process
                time.sleep(_PAUSE)
        yield frozenset(leases.held)
    finally:
        leases.give_back()


class _Leases:
    """The processors that this process has leased, by locks on files in a folder of the user.

    The kernel releases a lock when the process ends. So no two runs or workers play on one processor, and one
    that is killed leaves no lease.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self.held: dict[int, int] = {}  # the descriptors of the locked files

    def take(self, cores: Sequence[int], most: int) -> None:
        """Lease those of the cores that are free, up to a number in all."""
        folder = self._folder or Path(tempfile.gettempdir(), f"leapfrog-cores-{os.getuid()}")
        folder.mkdir(mode=0o700, exist_ok=True)
        for core in cores:
            if len(self.held) < most and core not in self.held:
                descriptor = os.open(
                    folder / str(core), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
                )
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    self.held[core] = descriptor
                except BlockingIOError:
                    pass  # somebody else has leased it
                finally:
                    if core not in self.held:
                        os.close(descriptor)

    def give_back(self, *, except_for: Cores = ANY) -> None:
        """Release the leases of all cores but some."""
        for core in self.held.keys() - except_for:
            os.close(self.held.pop(core))
