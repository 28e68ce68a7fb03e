"""The faults that a round can cause while arena runs. Each is a function with its name in `plan.FAULTS`."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.faulty_machine import FaultyMachine
from tests.soak.machines import Machines
from tests.soak.play import Arena, Run, wait_until
from tests.soak.traces import command_line, descendants

__all__ = ["STRIKES", "Scene"]

_DATABASE = ("arena.db", "arena.db-wal", "arena.db-shm")
_END = 40.0
"""Seconds in which arena must end after a fault that ends it."""


@dataclass(slots=True)
class Scene:
    """Where a fault happens.

    Attributes:
        folder: the folder of the tournament.
        machine: refuses processes and sets the clock, if the round can do that.
        arena: starts arena again and again.
        draw: chooses.
        machines: the cluster and the server.
    """

    folder: Path
    machine: FaultyMachine | None
    arena: Arena
    draw: random.Random
    machines: Machines

    @property
    def run(self) -> Run:
        """The running arena."""
        return self.arena.start()

    @property
    def pid(self) -> int:
        """The process of arena."""
        return self.run.process.pid

    def referees(self) -> list[int]:
        """Return the referees."""
        return [pid for pid in self._below if b"-m referee" in command_line(pid)]

    @property
    def _below(self) -> list[int]:
        """The processes that arena and the workers have started."""
        return [pid for top in (self.pid, *self.machines.pids) for pid in descendants(top)]

    def engines(self) -> list[int]:
        """Return the engines and the processes around and below them, but no guards."""
        everything = [pid for referee in self.referees() for pid in descendants(referee)]
        return [pid for pid in everything if b"groups=" not in command_line(pid)]

    def one(self, pids: list[int]) -> list[int]:
        """Return one of the processes, if there is one."""
        return [self.draw.choice(pids)] if pids else []

    def has_open(self, path: Path) -> bool:
        """Return whether arena has a file open."""
        with suppress(OSError):  # arena has ended
            return any(file.resolve() == path for file in Path(f"/proc/{self.pid}/fd").iterdir())
        return False

    def signal(self, number: int, pids: list[int]) -> None:
        """Send a signal to processes, if they are still there."""
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def pause(self, least: float, most: float) -> None:
        """Wait for a random time."""
        time.sleep(self.draw.uniform(least, most))


def _kill_arena(scene: Scene) -> None:
    scene.signal(signal.SIGKILL, [scene.pid])


def _stop_some_and_kill_arena(scene: Scene) -> None:
    referees, engines = scene.referees(), scene.engines()
    everything = [scene.pid, *descendants(scene.pid)]
    chosen = scene.draw.choice((referees, engines, referees + engines, everything))
    chosen = [pid for pid in chosen if scene.draw.random() < 0.8]
    scene.signal(signal.SIGSTOP, chosen)
    scene.pause(0, 1)
    _kill_arena(scene)


def _kill_a_referee(scene: Scene) -> None:
    scene.signal(signal.SIGKILL, scene.one(scene.referees()))


def _kill_an_engine(scene: Scene) -> None:
    scene.signal(signal.SIGKILL, scene.one(scene.engines()))


def _stop(scene: Scene, pids: list[int], least: float, most: float) -> None:
    scene.signal(signal.SIGSTOP, pids)
    scene.pause(least, most)
    scene.signal(signal.SIGCONT, pids)


def _stop_a_referee(scene: Scene) -> None:
    _stop(scene, scene.one(scene.referees()), 0.2, 3)


def _stop_a_referee_for_good(scene: Scene) -> None:
    chosen = scene.one(scene.referees())
    scene.signal(signal.SIGSTOP, chosen)
    if not wait_until(lambda: not any(map(command_line, chosen)) or not scene.run.alive(), _END):
        scene.arena.faults.append("a referee that is stopped is neither killed nor replaced")
        scene.signal(signal.SIGCONT, chosen)


def _stop_an_engine(scene: Scene) -> None:
    _stop(scene, scene.one(scene.engines()), 0.2, 3)


def _stop_arena(scene: Scene) -> None:
    _stop(scene, [scene.pid], 0.2, 4)


def _ctrl_c(scene: Scene) -> None:
    scene.signal(signal.SIGINT, [scene.pid])
    if not scene.run.wait(_END):
        scene.arena.faults.append(f"arena does not end within {_END:g} s after Ctrl-C")


def _terminate(scene: Scene) -> None:
    scene.signal(signal.SIGTERM, [scene.pid])
    scene.run.wait(_END)


def _ctrl_c_twice(scene: Scene) -> None:
    scene.signal(signal.SIGINT, [scene.pid])
    scene.pause(0, 0.6)
    scene.signal(signal.SIGINT, [scene.pid])
    _ends_soon(scene, "after two Ctrl-C")


def _ends_soon(scene: Scene, when: str) -> None:
    """Arena ends within two seconds; a few more on a machine with too much to do."""
    begun = time.monotonic()
    ended = scene.run.wait(20)
    seconds = time.monotonic() - begun
    if not ended or seconds > 2 + os.getloadavg()[0] / (os.cpu_count() or 1):
        scene.arena.faults.append(f"{when} arena takes {seconds:.1f} s to end")


def _lock(scene: Scene, seconds: float, meanwhile: Callable[[], None] | None = None) -> None:
    """Write to the database as another program does, for some seconds."""
    if not (scene.folder / "arena.db").exists():
        return
    with closing(sqlite3.connect(scene.folder / "arena.db", isolation_level=None)) as other:
        try:
            other.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return
        if meanwhile is not None:
            meanwhile()
        else:
            time.sleep(seconds)
        other.execute("ROLLBACK")


def _lock_for_a_moment(scene: Scene) -> None:
    _lock(scene, 1)


def _lock_for_long(scene: Scene) -> None:
    _lock(scene, 7)


def _lock_and_press_ctrl_c_twice(scene: Scene) -> None:
    def meanwhile() -> None:
        scene.pause(0, 2)
        _ctrl_c_twice(scene)

    _lock(scene, 0, meanwhile)


def _move_the_database(scene: Scene) -> None:
    """Move the database away until arena has ended, and back.

    An arena that has not opened it yet would make a new one, and moving back would destroy that.
    """
    if not scene.has_open(scene.folder / _DATABASE[0]):
        return
    away = scene.folder / "away"
    away.mkdir(exist_ok=True)
    for name in _DATABASE:
        with suppress(FileNotFoundError):
            (scene.folder / name).rename(away / name)
    if not scene.run.wait(_END):
        scene.arena.faults.append("arena plays on without its database")
        scene.run.process.kill()
        scene.run.wait(_END)
    for name in _DATABASE:
        with suppress(FileNotFoundError):
            (away / name).rename(scene.folder / name)


def _machine(scene: Scene) -> FaultyMachine:
    assert scene.machine is not None
    return scene.machine


def _no_processes(scene: Scene) -> None:
    _machine(scene).set(exhausted=scene.draw.choice((1, 2)))
    scene.pause(0.2, 4)
    _machine(scene).set()


def _set_the_clock(scene: Scene) -> None:
    _machine(scene).set(clock=scene.draw.choice((-3600, 3600)))
    scene.pause(0.2, 3)
    _machine(scene).set()


def _fill_the_disk(scene: Scene) -> None:
    filler = scene.folder / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            pass  # now it is full
    scene.pause(0.2, 6)
    filler.unlink()


def _go_away(scene: Scene) -> None:
    scene.run.go_away()


STRIKES: dict[str, Callable[[Scene], None]] = {
    "kill arena": _kill_arena,
    "stop some and kill arena": _stop_some_and_kill_arena,
    "kill a referee": _kill_a_referee,
    "kill an engine": _kill_an_engine,
    "stop a referee": _stop_a_referee,
    "stop a referee for good": _stop_a_referee_for_good,
    "stop an engine": _stop_an_engine,
    "stop arena": _stop_arena,
    "ctrl-c": _ctrl_c,
    "ctrl-c twice": _ctrl_c_twice,
    "terminate": _terminate,
    "lock the database": _lock_for_a_moment,
    "lock the database for long": _lock_for_long,
    "lock the database and press ctrl-c twice": _lock_and_press_ctrl_c_twice,
    "move the database": _move_the_database,
    "no processes": _no_processes,
    "set the clock": _set_the_clock,
    "fill the disk": _fill_the_disk,
    "go away": _go_away,
}
