"""The processes of a door: what each may use, and how `arena door run` starts them again when they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

import trio

from arena.cli.common.output import tell
from arena.config import TournamentSpec
from arena.config.door_keys import DoorKeys
from arena.errors import ArenaError, Outlasting, StoreUnavailable
from arena.run.cores import ANY, Cores, pinned
from protocol.process import bubblewrap
from protocol.process.lifetime import adopt_orphans
from protocol.process.machine import usable_cores

_LOOK_SECONDS: Final = 0.2
_LONGEST_PAUSE: Final = 30.0
_NICE: Final = 10
_FAULT_SECONDS: Final = 10.0
_LASTING_SECONDS: Final = 60.0  # a process that ran longer is started again without a pause


@dataclass(slots=True)
class Child:
    """A process that is kept running."""

    name: str
    words: list[str]
    cores: Cores = ANY
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0  # on the monotonic clock
    pause: float = 0.0  # seconds after its start before which it is not started again

    def start(self) -> None:
        """Start the process on its cores."""
        self.started = time.monotonic()
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # `arena.__main__` ends this
        try:
            with pinned(self.cores):
                self.process = subprocess.Popen(
                    self.words, stdin=subprocess.DEVNULL, stdout=sys.stderr, start_new_session=True
                )
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)

    @property
    def running(self) -> bool:
        """Whether it has started and not ended."""
        return self.process is not None and self.process.poll() is None

    def keep(self) -> None:
        """Start the process if it does not run. If it ends again and again, wait longer each time."""
        lasted = time.monotonic() - self.started
        if self.running or (self.started and lasted < self.pause):
            return
        self.pause = 0.5 if lasted > _LASTING_SECONDS else min(2 * self.pause + 0.5, _LONGEST_PAUSE)
        if self.process is not None:
            tell(f"{self.name}: ended with {self.process.returncode}; it is started again")
            self.process = None
        try:
            self.start()
        except OSError as error:
            tell(f"{self.name}: cannot be started: {error.strerror}; it is tried again")

    def tell(self, number: signal.Signals) -> None:
        """Send the process a signal, if it runs."""
        if self.process is not None and self.running:
            self.process.send_signal(number)


def keep(children: list[Child]) -> None:
    """Keep all processes running until Ctrl-C or SIGTERM, then end them: the first child after the others."""
    stops: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _: stops.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        while not stops:
            for child in children:
                child.keep()
            time.sleep(_LOOK_SECONDS)
        pages, *others = children
        _end(others, stops)  # the pages hold the lines of bots whose games have not ended
        _end([pages], stops)
    finally:
        for child in children:
            child.tell(signal.SIGKILL)
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(children: list[Child], stops: list[int]) -> None:
    """Pass each Ctrl-C on to processes until they have ended."""
    passed_on = 0
    while any(child.running for child in children):
        if passed_on < len(stops):
            passed_on += 1
            for child in children:
                child.tell(signal.SIGINT)
        time.sleep(_LOOK_SECONDS)


# --- what a process needs and may use


def door_of(spec: TournamentSpec) -> DoorKeys:
    """Return the door of a tournament, which must have one."""
    if spec.door is None:
        raise ArenaError(f"{spec.path}: the tournament has no door; add the table [door]")
    return spec.door


def check_sandbox(spec: TournamentSpec) -> None:
    """Raise an ArenaError if the door must not open: it takes files, and this machine has no sandbox."""
    if door_of(spec).bots != "remote" and (trouble := bubblewrap.trouble()):
        raise ArenaError(
            "the door does not open, because submissions would have your rights: bubblewrap does not work on"
            f" this machine: {trouble}; install the package bubblewrap, and let users make namespaces"
        )


def build_cores(spec: TournamentSpec) -> frozenset[int]:
    """Return the processors for builds and trials, on which `arena door run` plays no rated games.

    With ``affinity = true`` no game is pinned to them. Otherwise this is the last processor, and the games
    use the others. There is none if the games need all of them.
    """
    usable = usable_cores()
    if len(usable) <= spec.concurrency:
        return frozenset()
    rated = usable[: spec.concurrency] if spec.affinity is True else usable[:-1]
    return frozenset(usable) - frozenset(rated)


def work(spec: TournamentSpec, task: str, run: Callable[[], Awaitable[None]]) -> None:
    """Run a task of the door, which gives way to rated games, again until the database can be used."""
    outlasting = Outlasting(task, StoreUnavailable)

    async def outlast_database() -> None:
        while True:
            with outlasting:
                return await run()
            await trio.sleep(_FAULT_SECONDS)

    check_sandbox(spec)
    adopt_orphans()
    os.nice(_NICE)
    if cores := build_cores(spec):
        os.sched_setaffinity(0, cores)
    trio.run(outlast_database)
