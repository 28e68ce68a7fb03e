"""Who an engine is: its name, its version, and the program that is started under them.

A program is known by a hash of the files that its command names: the program itself and arguments that are
files, as an interpreter's script or a network's weights. What it loads beside them isn't seen.
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

__all__ = ["ProgramWatch", "identified", "program_hash"]

_DIGITS = 16


def _digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def program_hash(spec: EngineSpec, digest: Callable[[Path], bytes] = _digest) -> str:
    """A short hash of an engine's files; "" when they cannot be read.

    Args:
        spec: the engine.
        digest: a file's hash.
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


def identified(spec: TournamentSpec) -> TournamentSpec:
    """The tournament with every engine's program looked at; blocks for half a second a gigabyte and more."""
    digest = cache(_digest)  # many engines may share an interpreter, or a network
    return replace(
        spec,
        engines=tuple(replace(entry, program=program_hash(entry.spec, digest)) for entry in spec.engines),
    )


class ProgramWatch:
    """Warns when a name and version come with another program than before.

    Args:
        known: the programs that have played, by name and version.
        observe: is told.

    Attributes:
        played: the program under which each engine has played its last game, by name.
    """

    def __init__(
        self, known: Mapping[tuple[str, str], frozenset[str]], observe: Callable[[TournamentEvent], None]
    ) -> None:
        self._known = dict(known)
        self._observe = observe
        self.played: dict[str, str] = {}

    def begin(self, entries: tuple[EngineEntry, ...]) -> None:
        """Look at those whose version is known before they have said it."""
        for entry in entries:
            if entry.version:
                self._look(entry.spec.name, entry.version, entry.program)

    def observe(self, event: TournamentEvent) -> None:
        """Pass an event on, and look at who has played."""
        self._observe(event)
        if isinstance(event, GameEnded):
            for player in event.result.players:
                self.played[player.name] = player.program
                self._look(player.name, player.version, player.program)

    def end(self, entries: tuple[EngineEntry, ...]) -> None:
        """Look at those that have played, as they are after the last game.

        Args:
            entries: the engines with their programs of now.
        """
        for entry in entries:
            before = self.played.get(entry.spec.name)
            if before and entry.program not in (before, ""):
                text = (
                    "its program was changed while the tournament ran, so which of the two played a game"
                    " is not known; let a tournament end before you change its engines"
                )
                self._observe(Notice(entry.spec.name, text))

    def _look(self, name: str, version: str, program: str) -> None:
        if not program:
            return
        known = self._known.get((name, version), frozenset())
        if program in known:
            return
        self._known[name, version] = known | {program}
        if known:
            called = f"version {version}" if version else "no version"
            text = (
                f"its program differs from the one that played as {name}, {called}, before;"
                " a changed engine deserves a new version and, for a rating of its own, a new name"
            )
            self._observe(Notice(name, text))
