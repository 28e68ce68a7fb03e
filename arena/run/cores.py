"""The cores of a run: how many each game gets, and the leases that keep runs on one machine apart."""

from __future__ import annotations

import errno
import os
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from arena.errors import ConfigError
from protocol.process.machine import processors_of, shared_core, usable_cores
from protocol.words import counted

Cores = frozenset[int]  # the processors that a referee and its engines may use; empty for all
ANY: Cores = frozenset()

_RETRY_SECONDS = 0.05  # until a lease is tried again
_LEASE = "\0leapfrog-arena core"  # the start of the names of all leases: sockets that have no file


def unpinned(games: int) -> tuple[Cores, ...]:
    """Return one entry for each referee when ``games`` run at the same time: at most one referee a core."""
    return (ANY,) * min(max(1, games), len(usable_cores()))


def _shares(games: int, cores: Sequence[int], each: int) -> tuple[Cores, ...]:
    """Give the referees ``each`` of the cores, as for `unpinned`, with all of their usable processors."""
    parts = (cores[each * number : each * (number + 1)] for number in range(min(max(1, games), len(cores))))
    return tuple(ANY.union(*map(processors_of, part)) for part in parts)


@contextmanager
def cores_of_run(
    games: int, affinity: bool | Literal["auto"], place: Path | None = None, threads: int = 1
) -> Iterator[tuple[tuple[Cores, ...], str]]:
    """Choose the processors of each referee for the block; a text says why games have no separate cores.

    With true each game has a core, even if other programs use it. With ``"auto"`` it has as many as an
    engine has ``threads``, or fewer if there are too few; but none if other runs have leased too many. Runs
    with another ``place`` do not count.
    """
    can_pin, usable = hasattr(os, "sched_setaffinity"), usable_cores()
    if affinity is True and not can_pin:
        raise ConfigError("affinity = true: this system cannot pin a process to a processor; remove the key")
    crowded = (
        f"concurrency = {games}, but only {counted(len(usable), 'core')}: engines take time from each other"
        " while their clocks run; set a lower concurrency"
    )
    if affinity is True:
        yield _shares(games, usable, 1), crowded if games > len(usable) else ""
    elif games > len(usable):
        yield unpinned(games), crowded
    elif affinity is False or not can_pin:
        yield unpinned(games), ""
    else:
        leases, cores = _Leases(place), unpinned(games)
        problem = "another run has leased cores of this machine, so this one pins no games to cores"
        try:
            try:
                leases.take(usable, games * threads)
            except OSError as error:
                problem = f"no cores can be leased, so no games are pinned to them: {error}"
            if each := len(leases.held) // games:
                cores, problem = _shares(games, sorted(leases.held), each), ""
            leases.give_back(sorted(leases.held)[games * each :])
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
    number: int, cores: Sequence[int], cancelled: Callable[[], bool], place: Path | None = None
) -> Iterator[Cores]:
    """Wait until ``number`` of the cores are free, and lease them for the block; none if it is cancelled."""
    leases = _Leases(place)
    try:
        while len(leases.held) < number and not cancelled():
            leases.take(cores, number)
            if len(leases.held) < number:
                leases.give_back()  # these are too few, but may be enough for another process
                time.sleep(_RETRY_SECONDS)
        yield ANY.union(*map(processors_of, leases.held))
    finally:
        leases.give_back()


class _Leases:
    """The cores that this process has leased, by sockets whose names all users of this machine share.

    The kernel closes a socket when the process ends. So no two runs or workers play on one core, and one that
    is killed leaves no lease. Only Linux has such sockets, and can pin.
    """

    def __init__(self, place: Path | None = None) -> None:
        self._name = f"{_LEASE}{place or ''}"
        self.held: dict[int, socket.socket] = {}

    def take(self, cores: Sequence[int], most: int) -> None:
        """Lease the free cores among these, up to a number in all."""
        for core in cores:
            if len(self.held) < most and core not in self.held:
                lease = socket.socket(socket.AF_UNIX)
                try:
                    if sys.platform == "linux":
                        lease.bind(f"{self._name} {min(shared_core(core))}")
                except OSError as error:
                    lease.close()
                    if error.errno != errno.EADDRINUSE:
                        raise
                else:
                    self.held[core] = lease

    def give_back(self, cores: Sequence[int] | None = None) -> None:
        """Release the leases of some cores, or of all."""
        for core in list(self.held) if cores is None else cores:
            self.held.pop(core).close()
