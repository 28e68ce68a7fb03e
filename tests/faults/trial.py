"""One trial: a command has a fault at one of its writes, and then goes on without faults."""

from __future__ import annotations

import errno
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from arena.cli.program import FAILED, INTERRUPTED, WRONG_INPUT
from arena.door.client import Door
from arena.errors import ArenaError
from tests.arena.forked import Forked, forked
from tests.faults.commands import TOKEN, Command, damage
from tests.faulty_machine import CHANGE, DATA, ROOM, FaultyMachine, WriteFault

__all__ = ["FAULTS", "Outcome", "Workplace"]

FAULTS: Final[Mapping[str, WriteFault]] = {
    # A full disk stays full; what needs no room still works.
    "ENOSPC": WriteFault(DATA | ROOM, lasting=True, error=errno.ENOSPC),
    "EIO": WriteFault(error=errno.EIO),
    "EROFS": WriteFault(DATA | ROOM | CHANGE, lasting=True, error=errno.EROFS),
    "short write": WriteFault(DATA, half=True),
    "short, then ENOSPC": WriteFault(DATA, half=True, lasting=True, error=errno.ENOSPC),
    "SIGINT": WriteFault(signal=signal.SIGINT),
    "SIGTERM": WriteFault(signal=signal.SIGTERM),
    "kill -9": WriteFault(half=True, signal=signal.SIGKILL),
}
"""The faults by their names in the table."""

_SECONDS: Final = 60.0
_NEVER: Final = 99  # the exit code of a command that does not end
_LEFT: Final = re.compile(r"(arena|copy)\.db-(wal|shm)$|logs(/|$)|/\.leapfrog-new-[^/]+(/|$)")
"""Files that may be there, or not, after a command: of an open database, transcripts and
their folder, and what the worker of a door removes."""

_CLASS: Final = re.compile(r"\b[A-Za-z]+(Error|Exception)\b")
_FULL: Final = re.compile("(the disk|it) is full|No space left on device")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a trial.

    Attributes:
        struck: the call that had the fault, and its file; "" if there were fewer writes.
        problems: what was wrong, in sentences.
        code: the exit code of the command with the fault.
        message: what it said last.
    """

    struck: str
    problems: tuple[str, ...]
    code: int = 0
    message: str = ""


@dataclass(frozen=True, slots=True)
class _Run:
    code: int
    out: str
    err: str
    answer: str  # of the door; "" if it took what was handed in, or was not asked
    asked: bool


class Workplace:
    """A folder with what a command needs, and what its end is without faults.

    Args:
        command: the command.
        top: an empty folder.
        library: see `tests.faulty_machine.build_library`.
    """

    def __init__(self, command: Command, top: Path, library: Path) -> None:
        self.name = command.name
        self._command = command
        self._top = top
        self._library = library
        self._fresh = top / "fresh"
        self._fresh.mkdir(parents=True)
        command.prepare(self._fresh)
        folder, machine = self._start("undisturbed")
        machine.set_write(WriteFault(), folder)
        run = self._run(folder, machine)
        assert run.code == 0, run
        assert machine.writes()[0], "the commands are forked from a process without the library"
        self._end = command.state(folder)
        self._files = _files(folder)
        again = self._run(folder, machine)
        assert again.code == 0, again
        assert command.state(folder) == self._end, "the command is not the same twice"

    def _start(self, name: str) -> tuple[Path, FaultyMachine]:
        folder = self._top / name
        shutil.copytree(self._fresh, folder)
        folder.with_suffix(".tmp").mkdir()
        return folder, FaultyMachine(self._top / f"{name}.machine", self._library)

    def _run(self, folder: Path, machine: FaultyMachine) -> _Run:
        """Run the command to its end. A door gets a hand-in, a worker tries it; then SIGTERM ends them."""
        environment = (
            os.environ | machine.environment | {"TMPDIR": str(folder.with_suffix(".tmp")), "COLUMNS": "80"}
        )
        del environment["LD_PRELOAD"]  # it is loaded already, and engines have no faults
        role, answer, ends = self._command.role, "", False
        with forked(
            *self._command.words, cwd=folder, env=environment, settings=self._command.settings
        ) as process:
            if role == "worker":
                ends = _has_tried(process, folder / "arena.db")
            elif role == "pages" and (address := _address(process)):
                ends = True
                try:
                    Door(address, TOKEN).hand_in("bot.py", b"print(1)")
                except ArenaError as error:
                    answer = str(error)
            if ends:
                process.send_signal(signal.SIGTERM)
            try:
                code = process.wait(_SECONDS)
            except subprocess.TimeoutExpired:
                code = _NEVER
            if role == "worker" and ends and code == -signal.SIGTERM:
                code = 0
            return _Run(code, process.stdout, process.stderr, answer, role == "pages" and ends)

    def strike(self, name: str, number: int) -> Outcome:
        """Let the ``number``-th write have a fault; then run the command again."""
        command = self._command
        folder, machine = self._start(f"{name.replace(' ', '-')}-{number}")
        machine.set_write(replace(FAULTS[name], strike=number), folder)
        run = self._run(folder, machine)
        struck = machine.writes()[1].replace(f"{folder}/", "")
        machine.set()
        problems = [*_judged(name, run, struck), *damage(folder)]
        if not problems:
            problems += command.printed(run.out + run.err, folder)
        done = run.code == 0 and not run.answer
        if done and struck and command.state(folder) != self._end:
            problems.append(f"it ended well, and reached {command.state(folder)} and not {self._end}")
        if name in ("ENOSPC", "short write") and command.role != "pages":  # it could have removed them
            problems += [
                f"it left {file}" for file in sorted(_files(folder) - self._files - _files(self._fresh))
            ]
        again = self._run(folder, machine)
        if again.code != 0 or self._refuses(name, run, again):
            problems.append(f"the same command does not go on: {again}")
        elif command.state(folder) != self._end:
            problems.append(f"the same command reached {command.state(folder)} and not {self._end}")
        problems += [f"the same command left {file}" for file in sorted(_files(folder) - self._files)]
        problems += [f"the same command made no {file}" for file in sorted(self._files - _files(folder))]
        if not problems:
            shutil.rmtree(folder)
            shutil.rmtree(folder.with_suffix(".tmp"))
        message = run.answer or (run.err.splitlines() or [""])[-1]
        return Outcome(struck, tuple(problems), run.code, message.replace(f"{folder}", ""))

    def _refuses(self, name: str, run: _Run, again: _Run) -> bool:
        """Return whether a door wrongly refuses what is handed in again: it must know it if it took it.

        If it did not answer because it was killed, nobody knows.
        """
        known = "nothing has changed" in again.answer
        took = run.asked and not run.answer
        return not (known if took else not again.answer or (known and not FAULTS[name].error))


def _files(folder: Path) -> set[str]:
    files = {
        str(file.relative_to(folder))
        for file in folder.rglob("*")
        if not file.is_dir() or not any(file.iterdir())
    }
    return {file for file in files if not _LEFT.search(file)}


def _address(process: Forked) -> str:
    """Wait for the address of a server; "" if it ends before."""
    end = time.monotonic() + _SECONDS
    while process.poll() is None and time.monotonic() < end:
        if match := re.search(r"http://127\.0\.0\.1:\d+", process.stdout):
            return match[0]
        time.sleep(0.01)
    return ""


def _has_tried(process: Forked, database: Path) -> bool:
    """Wait until nothing waits in a door any more; false if the worker ends before."""
    end = time.monotonic() + _SECONDS
    while process.poll() is None and time.monotonic() < end:
        with (
            suppress(sqlite3.OperationalError),
            closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection,
        ):
            if not connection.execute("SELECT count(*) FROM door_submission WHERE ended IS NULL").fetchone()[
                0
            ]:
                return True
        time.sleep(0.02)
    return False


def _judged(name: str, run: _Run, struck: str) -> list[str]:
    """Return what is wrong with the exit code and the messages of a command that had a fault."""
    fault = FAULTS[name]
    allowed = {0}
    if struck and fault.error:
        allowed = {0, FAILED, WRONG_INPUT}
    elif struck and fault.signal == signal.SIGKILL:
        allowed = {0, -signal.SIGKILL}
    elif struck and fault.signal:  # a server that is ending is hit by the SIGTERM that should end it
        allowed = {0, INTERRUPTED, -signal.SIGTERM}
    errors = [line for line in run.err.splitlines() if line.startswith("error: ")]
    text = "".join(errors) + run.answer
    # Of a referee that a signal ends, arena shows the last words.
    traceback = "Traceback" in run.err and "the referee process died" not in run.err
    wrong = {
        f"exit code {run.code}": run.code not in allowed,
        # In a run the database and the transcripts may both fail, each with a message.
        f"exit code {run.code} and {len(errors)} messages": bool(errors) != (run.code == WRONG_INPUT)
        or len(set(errors)) > 2,
        "no sentence": traceback or _CLASS.search(text) or "HTTP Error" in text,
        "no word about the full disk": fault.error == errno.ENOSPC and text and not _FULL.search(text),
    }
    return [f"{problem}: {run.answer} {run.err}" for problem, is_so in wrong.items() if is_so]
