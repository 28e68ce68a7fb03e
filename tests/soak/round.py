"""One round of the soak test: a tournament that is disturbed, then played to its end, then checked."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.faulty_machine import FaultyMachine
from tests.soak.damage import check_damage
from tests.soak.faults import STRIKES, Scene
from tests.soak.ledger import Ledger
from tests.soak.machine_faults import MACHINE_STRIKES
from tests.soak.machines import Machines
from tests.soak.plan import DISK, Plan
from tests.soak.play import KILLS, Arena
from tests.soak.traces import PATIENCE, Traces, descendants

__all__ = ["Round"]

_LONGEST = 240.0
"""Seconds in which an undisturbed arena must have played the rest of the games."""

_LATE = 12.0
"""Seconds in which workers notice that arena has ended, and end what they play."""

CHILDREN_FILES = 4
OWN_FILES = 40
"""The open files that arena needs at most: for each child, and besides."""


class Round:
    """A round.

    Args:
        plan: what it does.
        folder: an empty folder.
        library: the library that refuses processes and sets the clock.

    Attributes:
        faults: what was wrong, in sentences.
    """

    def __init__(self, plan: Plan, folder: Path, library: Path | None) -> None:
        self._plan = plan
        self._draw = random.Random(f"{plan.seed} strikes")
        self._top = folder
        self._folder = folder / "tournament"
        self._mark = f"soak-{os.getpid()}-{folder.name}"
        temporary = folder / "temporary"
        for path in (self._folder, temporary):
            path.mkdir()
        environment = {"SOAK": self._mark, "TMPDIR": str(temporary), "ARENA_CONTAINMENT": plan.containment}
        machine = None
        if plan.machine and library is not None:
            machine = FaultyMachine(folder / "machine", library)
            environment |= machine.environment
        self._machines = Machines(plan, folder, environment)
        self._arena = Arena(self._folder, plan.user, plan.output, environment)
        self._scene = Scene(self._folder, machine, self._arena, self._draw, self._machines)
        self._ledger = Ledger(self._folder)
        self._traces = Traces(
            self._mark, temporary, lambda: self._machines.pids, _LATE if plan.workers else PATIENCE
        )
        self._faults: list[str] = []

    @property
    def faults(self) -> list[str]:
        """What was wrong, in sentences."""
        return self._faults + self._arena.faults

    def play(self) -> None:
        """Play the round."""
        with self._disk(), self._machines.running():
            text = self._plan.tournament(self._mark, self._machines.database, self._machines.scheduler)
            (self._folder / "soak.toml").write_text(text)
            for path in (self._folder, self._top / "temporary", self._folder / "soak.toml"):
                shutil.chown(path, self._plan.user, self._plan.user)
            try:
                self._disturb()
                self._finish()
                self._check()
            finally:
                self._traces.kill()

    @contextmanager
    def _disk(self) -> Iterator[None]:
        """Mount a small disk in the tournament's folder, if the plan wants it."""
        if not self._plan.disk:
            yield
            return
        mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "none", str(self._folder)]
        subprocess.run(mount, check=True)
        try:
            yield
        finally:
            subprocess.run(["umount", "--lazy", str(self._folder)], check=True)

    def _disturb(self) -> None:
        """Cause the faults, and start arena again when it has ended."""
        for seconds, name in self._plan.faults:
            self._arena.start()
            self._wait_for_life()
            self._watch(seconds)
            if name == "damage the database":
                self._damage()
            else:
                (STRIKES | MACHINE_STRIKES)[name](self._scene)
            self._settle()

    def _wait_for_life(self) -> None:
        """Mostly wait until the engines play; sometimes the fault comes while arena starts."""
        patience = 20 if self._draw.random() < 0.8 else 0
        end = time.monotonic() + patience
        while time.monotonic() < end and self._arena.start().alive() and not self._scene.engines():
            time.sleep(0.05)

    def _watch(self, seconds: float) -> None:
        """Wait, and look at the processes: which there are, and how many files they have open."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self._arena.start().alive():
            pids = [self._scene.pid, *descendants(self._scene.pid)]
            self._traces.note(pids)
            for pid in (self._scene.pid, *self._scene.referees()):
                self._count_files(pid)
            time.sleep(0.1)

    def _count_files(self, pid: int) -> None:
        """Report a process that has more open files than it can need: this is a leak."""
        try:
            count = len(list(Path(f"/proc/{pid}/fd").iterdir()))
        except OSError:
            return  # it has ended
        if count > OWN_FILES + CHILDREN_FILES * len(descendants(pid)):
            self._faults.append(f"process {pid} has {count} open files")

    def _settle(self) -> None:
        """If arena has ended, check what it has left. Import the games that it has saved, or lose them."""
        run = self._arena.start()
        if run.process.returncode is None and run.alive():
            return
        code = self._arena.end(60)
        if left := self._traces.fault():
            self._faults.append(f"after arena ended with {code}: {left}")
        if code not in [-number for number in KILLS] and (folders := self._traces.folders()):
            self._faults.append(f"after arena ended with {code}: {'; '.join(folders)}")
        self._faults += self._note()
        self._settle_saved(imported=self._draw.random() < 0.7)

    def _note(self) -> list[str]:
        """Let the ledger look at the stored games; those on a server are copied to a file for it."""
        if self._machines.server is not None:
            for name in ("arena.db", "arena.db-wal", "arena.db-shm"):
                (self._folder / name).unlink(missing_ok=True)
            # There is nothing to copy if arena was killed before it had made the tables.
            copied = self._arena.call("db", "copy", self._machines.database, "arena.db", allowed=(0, 2))
            if copied.returncode:
                (self._folder / "arena.db").unlink(missing_ok=True)
        return self._ledger.note()

    def _settle_saved(self, *, imported: bool) -> None:
        """Import the games that could not be stored, or lose them: they are played again."""
        for file in sorted(self._folder.glob("*-not-stored-*.txt")):
            if imported:
                self._arena.call("import", file.name, "--db", self._machines.database)
            file.rename(file.with_suffix(".imported" if imported else ".lost"))

    def _damage(self) -> None:
        """Kill arena, damage its database, and let it go on with what can be saved."""
        STRIKES["kill arena"](self._scene)
        self._settle()
        database = self._folder / "arena.db"
        if not database.exists() or not database.stat().st_size:
            return
        place = self._folder / f"damage-{self._arena.starts}"
        place.mkdir()
        shutil.chown(place, self._plan.user, self._plan.user)
        saved, faults = check_damage(place, database, self._arena, self._draw)
        self._faults += faults
        if saved is not None:
            for name in ("arena.db-wal", "arena.db-shm"):
                (self._folder / name).unlink(missing_ok=True)
            saved.replace(database)
            self._ledger.forget()
        self._arena.start()

    def _finish(self) -> None:
        """Let arena play the rest of the games. Undisturbed, it ends only when all are played."""
        code = self._arena.end(_LONGEST)
        if code == 2 or code < 0 or code == 130 or self._ledger.missing():  # an effect of the last fault
            self._note()
            code = self._arena.end(_LONGEST)
        self._faults += self._note()
        if code not in (0, 1):
            self._faults.append(f"undisturbed, arena ends with {code}")
        if (missing := self._ledger.missing()) and not self._plan.attacked:
            self._faults.append(f"undisturbed, arena ends with {code} although {missing} games are missing")

    def _check(self) -> None:
        if left := self._traces.fault():
            self._faults.append(f"at the end: {left}")
        self._faults += self._traces.folders()
        self._faults += self._ledger.check(self._arena, whole=not self._plan.attacked)
        self._faults += [
            f"{name} is left" for name in ("arena.db-wal", "arena.db-shm") if (self._folder / name).exists()
        ]
