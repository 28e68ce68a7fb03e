"""The engines of a run before its first game: they are built, take their options, and are as before.

A wrong option would not stop a game, but its result would belong to another engine than the file describes.
A program is identified by a hash of the files in its command: the program itself, and arguments that are
files, for example a script or the weights of a network. Other files that the program loads are not hashed.
"""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import trio

from arena import bridges
from arena.config import EngineEntry, TournamentSpec
from arena.config.loader import key_error
from arena.errors import ArenaError
from arena.formats.format import VariedOption
from arena.model import REMOTE_PROGRAM
from arena.run.executor import Executor
from protocol.errors import EngineStartError
from protocol.process.program import argument_files, program_of
from protocol.spec import EngineSpec
from protocol.words import printable

if TYPE_CHECKING:
    from arena.store import EngineUse

BUILD_SECONDS: Final = 900.0  # how long the build of an engine may take
_LINES: Final = 5  # how many lines of a failed build's output its error shows
_LONGEST_LINE: Final = 300

_DIGITS: Final = 16  # the length of a program's hash


async def build_engines(entries: Iterable[EngineEntry], tell: Callable[[str, str], None]) -> None:
    """Build the engines that have the key ``build``, one after the other, and check their programs."""
    for entry in entries:
        if not entry.build:
            continue
        spec = entry.spec
        assert spec.cwd is not None
        tell(spec.name, f"building it: {' && '.join(entry.build)}")
        try:
            await build(entry.build, spec.cwd, spec.env)
        except ArenaError as error:
            raise ArenaError(f"engine {spec.name}: {error}") from None
        try:
            bridges.check(spec)
        except EngineStartError as error:
            raise ArenaError(f"engine {spec.name}: its build ended well, but {error}") from None


async def build(commands: tuple[str, ...], folder: str, environment: Mapping[str, str]) -> None:
    """Run shell commands in a folder; the first that fails ends the build, and so does a cancellation.

    An ArenaError shows the last lines of the output.
    """
    script = "\n".join(("set -e", *commands))
    with trio.move_on_after(BUILD_SECONDS):
        done = await trio.run_process(
            ["/bin/sh", "-c", script],
            cwd=folder,
            env={**os.environ, **environment},
            check=False,
            capture_stdout=True,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            deliver_cancel=kill_group,
        )
        if done.returncode:
            raise ArenaError(f"its build failed with {end_of(done.returncode)}{_tail(done.stdout)}")
        return
    raise ArenaError(f"its build did not end within {BUILD_SECONDS:.0f} seconds")


def end_of(code: int) -> str:
    """Say how a build ended; a shell or a sandbox adds 128 to the number of a signal."""
    number = -code if code < 0 else code - 128
    known = number in signal.valid_signals()
    return f"a signal ({signal.strsignal(number)})" if known else f"exit code {code}"


async def kill_group(process: trio.Process) -> None:
    """Kill a process and its children."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # it has just ended
    await trio.lowlevel.checkpoint()


def _tail(output: bytes) -> str:
    lines = [line for line in output.decode(errors="replace").splitlines() if line.strip()]
    shown = [f"  {printable(line[:_LONGEST_LINE], keep=chr(9))}" for line in lines[-_LINES:]]
    return "\n".join((":", *shown)) if shown else ", and printed nothing"


async def check_accepted(spec: TournamentSpec, entries: Iterable[EngineEntry], referees: Executor) -> None:
    """Let the referees start every engine that sets options, and check that it takes them.

    Engines with ``force_options`` are not started. An engine that fails in another way is no error here: it
    loses its first game.
    """
    problems: dict[int, str] = {}
    able = [entry for entry in entries if not entry.spec.force_options]
    asked: list[tuple[EngineEntry, VariedOption | None]] = [
        (entry, None) for entry in able if entry.spec.options
    ]
    for option in spec.plan.format.varied(spec.format_keys):
        for entry, value in zip(able, option.values, strict=False):  # none is able, or all sides
            options = entry.spec.options | {option.name: value}
            asked.append((replace(entry, spec=replace(entry.spec, options=options)), option))
    limit = trio.CapacityLimiter(max(referees.count, 1))

    async def ask(number: int, entry: EngineEntry) -> None:
        async with limit:
            problems[number] = await referees.try_engine(entry.spec, entry.games[0])

    async with trio.open_nursery() as nursery:
        for number, (entry, _) in enumerate(asked):
            nursery.start_soon(ask, number, entry)
    for number, (entry, varied) in enumerate(asked):
        if not (problem := problems[number]):
            continue
        problem = f"engine {entry.spec.name} {problem}"
        if varied is not None:
            raise key_error(spec, varied.place, problem)
        raise ArenaError(
            f"{spec.label}: {problem}; correct its options, or send them as they are: force_options = true"
            " in a file, --set force_options=true in a command"
        )


def check_unchanged(spec: TournamentSpec, played: Mapping[str, Mapping[str, str] | None]) -> None:
    """Check that every engine has the options with which it has played in this tournament, if it is known."""
    varied = {option.name for option in spec.plan.format.varied(spec.format_keys)}
    for entry in spec.engines:
        name, new = entry.spec.name, entry.spec.options
        old = played.get(name)
        if old is None:
            continue
        changes = [
            f"{option} = {old.get(option, 'not set')}, and now it is {new.get(option, 'not set')}"
            for option in sorted((old.keys() | new.keys()) - varied)
            if old.get(option) != new.get(option)
        ]
        if changes:
            raise ArenaError(
                f"{spec.label}: engine {name} has played with the option {'; '.join(changes)}; set it back,"
                " give the engine or the tournament another name, or play on with --accept-changed-options"
            )


def _digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _files(spec: EngineSpec) -> list[Path]:
    """Return the files in an engine's command; EngineStartError: there is no program."""
    program = program_of(spec)
    return [Path(program), *(file for _, file in argument_files(spec))]


def program_hash(spec: EngineSpec, digest: Callable[[Path], bytes] = _digest) -> str:
    """Return a short hash of the files in an engine's command; "" when they cannot be read."""
    if spec.remote is not None:
        return REMOTE_PROGRAM
    try:
        whole = hashlib.sha256()
        for path in _files(spec):
            whole.update(digest(path))
    except (EngineStartError, OSError):
        return ""
    return whole.hexdigest()[:_DIGITS]


def with_program_hashes(spec: TournamentSpec) -> TournamentSpec:
    """Return the tournament with all program hashes. This takes half a second for each gigabyte."""
    digest = cache(_digest)  # many engines may share an interpreter or a network: read each file once
    return replace(
        spec,
        engines=tuple(replace(entry, program=program_hash(entry.spec, digest)) for entry in spec.engines),
    )


def changed_programs(entries: Iterable[EngineEntry], last: Mapping[str, EngineUse]) -> list[str]:
    """Return the engines whose program differs from their last game in a tournament, by name."""
    pairs = ((entry, last[entry.spec.name]) for entry in entries if entry.program and entry.spec.name in last)
    return [entry.spec.name for entry, use in pairs if use.program not in ("", entry.program)]
