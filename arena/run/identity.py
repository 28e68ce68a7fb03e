"""Notice when the program of an engine changes while its name and version stay the same.

A program is identified by a hash of the files in its command: the program itself, and arguments that are
files, for example a script or the weights of a network. Other files that the program loads are not hashed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from arena.config import EngineEntry, TournamentSpec
from arena.run.events import GameEnded, Notice, TournamentEvent
from protocol.errors import EngineStartError
from protocol.process.program import argument_files, find_program
from protocol.spec import EngineSpec

__all__ = ["ProgramWatch", "program_hash", "with_program_hashes"]

_DIGITS = 16


def _digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def program_hash(spec: EngineSpec, digest: Callable[[Path], bytes] = _digest) -> str:
    """Return a short hash of the files in an engine's command; "" when they cannot be read.

    Args:
        spec: the engine.
        digest: returns the hash of a file.
    """
    try:
        program = find_program(spec.command, spec.cwd, spec.env.get("PATH"))
        arguments = (file for _, file in argument_files(spec.command, spec.cwd))
        whole = hashlib.sha256()
        for path in [Path(program), *arguments]:
            whole.update(digest(path))
    except (EngineStartError, OSError):
        return ""
    return whole.hexdigest()[:_DIGITS]


def with_program_hashes(spec: TournamentSpec) -> TournamentSpec:
    """Return the tournament with the program hash of every engine filled in.

    This blocks while it reads the files: half a second or more for each gigabyte.
    """
    digest = cache(_digest)  # many engines may share an interpreter or a network: read each file once
    return replace(
        spec,
        engines=tuple(replace(entry, program=program_hash(entry.spec, digest)) for entry in spec.engines),
    )


class ProgramWatch:
    """Warns when an engine plays with another program than before, under the same name and version.

    Args:
        programs: the hashes of the programs that have played, by name and version.
        observe: called with every event of the tournament, and with the warnings as `Notice`.

    Attributes:
        played: the hash of the program that played the last game of each engine, by name.
    """

    def __init__(
        self, programs: Mapping[tuple[str, str], frozenset[str]], observe: Callable[[TournamentEvent], None]
    ) -> None:
        self._programs = dict(programs)
        self._observe = observe
        self.played: dict[str, str] = {}

    def begin(self, entries: tuple[EngineEntry, ...]) -> None:
        """Check the engines whose version is in the tournament file, before their first game."""
        for entry in entries:
            if entry.version:
                self._check(entry.spec.name, entry.version, entry.program)

    def observe(self, event: TournamentEvent) -> None:
        """Pass an event on, and check the players of a game that ended."""
        self._observe(event)
        if isinstance(event, GameEnded):
            for player in event.result.players:
                self.played[player.name] = player.program
                self._check(player.name, player.version, player.program)

    def end(self, entries: tuple[EngineEntry, ...]) -> None:
        """Check after the last game that no program changed during the run.

        Args:
            entries: the engines, with the hashes of their programs at the end of the run.
        """
        for entry in entries:
            played = self.played.get(entry.spec.name)
            if played and entry.program not in (played, ""):
                text = (
                    "its program changed while the tournament ran, so arena cannot tell which program played"
                    " which game; change an engine only while no tournament runs"
                )
                self._observe(Notice(entry.spec.name, text))

    def _check(self, name: str, version: str, program: str) -> None:
        if not program:
            return
        earlier = self._programs.get((name, version), frozenset())
        if program in earlier:
            return
        self._programs[name, version] = earlier | {program}
        if earlier:
            label = f"version {version}" if version else "without a version"
            text = (
                f"its program differs from the one that played before as {name}, {label};"
                " give a changed engine a new version, and a new name if it needs its own rating"
            )
            self._observe(Notice(name, text))
