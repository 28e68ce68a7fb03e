"""The worker of the door: takes submissions from the database, builds, checks and tries them.

It is a process of its own with a low priority. If it is killed, the next worker takes up the submission that
it had in hand, from the beginning. It alone writes the file with the engines that the tournament plays.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import trio

from arena.config import EngineEntry, TournamentSpec, load_with
from arena.config.door_keys import DoorKeys
from arena.door import trial
from arena.door.archive import ArchiveLimits
from arena.door.build import build
from arena.door.folder import DoorFolder
from arena.door.plan import engine_keys, home_command
from arena.door.register import DoorRegister, State, Submission
from arena.errors import ArenaError, Outlasting, StoreError, StoreUnavailable, leaves
from protocol.errors import HubFault
from protocol.process import bubblewrap
from protocol.process.machine import usable_cores

_NICE: Final = 10
_LOOK_SECONDS: Final = 0.3
_FAULT_SECONDS: Final = 10
_MOST_ATTEMPTS: Final = 3
_MOST_FILES: Final = 20_000


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


def lower_priority(spec: TournamentSpec) -> None:
    """Give way to rated games: take a low priority, and only the processors of `build_cores`."""
    os.nice(_NICE)
    if cores := build_cores(spec):
        os.sched_setaffinity(0, cores)


async def outlast_database(task: str, run: Callable[[], Awaitable[None]]) -> None:
    """Run a task of the door; if the database cannot be used meanwhile, begin again until it can."""
    outlasting = Outlasting(task, StoreUnavailable)
    while True:
        with outlasting:
            return await run()
        await trio.sleep(_FAULT_SECONDS)


@dataclass(frozen=True, slots=True)
class DoorWorker:
    """The worker of a tournament's door."""

    spec: TournamentSpec
    door: DoorKeys
    register: DoorRegister
    folder: DoorFolder

    async def run(self) -> None:
        """Work until this is cancelled, unless another worker of this door is running."""
        with self.folder.locked("worker"):
            await trio.to_thread.run_sync(self.folder.remove_half_built)
            while True:
                await trio.to_thread.run_sync(self.publish)
                submission = await trio.to_thread.run_sync(self.register.take, _MOST_ATTEMPTS)
                if submission is not None:
                    await self._handle(submission)
                else:
                    await trio.sleep(_LOOK_SECONDS)

    def publish(self) -> None:
        """Tell the tournament which engines play now."""
        opened = {one.id for one in self.register.participants() if one.state == "open"}
        playing = [
            one
            for one in self.register.submissions()
            if one.state is State.PLAYS and one.participant in opened
        ]
        # The order must not depend on which version was admitted last, because schedules number engines.
        self.folder.publish([self._keys(one) for one in sorted(playing, key=lambda one: one.participant)])

    def _keys(self, submission: Submission) -> dict[str, Any]:
        folder = self.folder.engine(submission.id)
        return engine_keys(submission.name, submission.version, submission.plan["command"], folder, self.door)

    def _entry(self, submission: Submission) -> EngineEntry:
        return load_with(self.spec.path, self._keys(submission))

    async def _handle(self, submission: Submission) -> None:
        """Build, check and try a submission, and store what came of it."""
        fault = refusal = ""  # told below, because Ctrl-C must have no error of another as its context
        try:
            await self._try(submission)
        except* (StoreError, HubFault, OSError) as group:
            fault = str(next(leaves(group)))
        except* ArenaError as group:
            refusal = str(next(leaves(group)))
        if fault:  # it stays in hand and is taken up again
            await self._tell(submission, "end", f"this machine has a fault: {fault}")
            await trio.sleep(_FAULT_SECONDS)
        elif refusal:
            await self._tell(submission, "end", f"not admitted: {refusal}")
            await self._move_on(submission, State.REFUSED, refusal)

    async def _try(self, submission: Submission) -> None:
        tell = partial(self._tell, submission)
        entry = await self._build(submission, tell)
        words = home_command(submission.plan["command"])
        await self._move_on(submission, State.CHECKING)
        for game in self.spec.games:
            await trial.check(entry, game, words, tell)
        await self._move_on(submission, State.PLAYING)
        for game in self.spec.games:
            await trial.play(self.spec, entry, game, self.door.games, words, tell)
        await tell("end", f"admitted: version {submission.version} plays in the tournament now")
        await self._move_on(submission, State.PLAYS)

    async def _build(
        self, submission: Submission, tell: Callable[[str, str], Awaitable[None]]
    ) -> EngineEntry:
        """Build a submission and return its engine."""
        made = await trio.to_thread.run_sync(self.folder.read, submission.digest)
        commands = tuple(submission.plan["build"])
        if commands:
            await tell("build", "\n".join(f"$ {command}" for command in commands))
            made = await build(made, commands, self.door.building, partial(tell, "build"))
        limits = ArchiveLimits(self.door.building.disk, _MOST_FILES)
        await trio.to_thread.run_sync(self.folder.install, submission.id, made, limits)
        return await trio.to_thread.run_sync(self._entry, submission)

    async def _tell(self, submission: Submission, kind: str, text: str) -> None:
        shown = text if kind == "record" else self.folder.without_paths(text)
        await trio.to_thread.run_sync(self.register.note, kind, shown, submission.id)

    async def _move_on(self, submission: Submission, state: State, problem: str = "") -> None:
        shown = self.folder.without_paths(problem)
        await trio.to_thread.run_sync(self.register.move_on, submission.id, state, shown)
