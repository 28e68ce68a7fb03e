"""Who an engine is: its name, its version, and the program that is started under them.

A program is known by a hash of the files that its command names: the program itself and arguments that are
files, as an interpreter's script or a network's weights. What it loads beside them isn't seen.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from arena.config import EngineEntry, TournamentSpec
from arena.events import Event, GameEnded, Notice
from protocol.errors import EngineStartError
from protocol.program import find_program
from protocol.spec import EngineSpec

__all__ = ["ProgramWatch", "identified", "program_hash"]

_DIGITS = 16


def program_hash(spec: EngineSpec) -> str:
    """A short hash of an engine's files; "" when they cannot be read."""
    try:
        program = find_program(spec.command, spec.cwd, spec.env.get("PATH"))
        arguments = [Path(spec.cwd or ".", word) for word in spec.command[1:]]
        whole = hashlib.sha256()
        for path in [Path(program), *filter(_is_file, arguments)]:
            with path.open("rb") as file:
                whole.update(hashlib.file_digest(file, "sha256").digest())
    except (EngineStartError, OSError):
        return ""
    return whole.hexdigest()[:_DIGITS]


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a word too long for a name, for one
        return False


def identified(spec: TournamentSpec) -> TournamentSpec:
    """The tournament with every engine's program looked at."""
    return replace(
        spec,
        engines=tuple(replace(entry, program=program_hash(entry.spec)) for entry in spec.engines),
    )


class ProgramWatch:
    """Warns when a name and version come with another program than before.

    Args:
        known: the programs that have played, by name and version.
        observe: is told.
    """

    def __init__(
        self, known: Mapping[tuple[str, str], frozenset[str]], observe: Callable[[Event], None]
    ) -> None:
        self._known = dict(known)
        self._observe = observe

    def begin(self, entries: tuple[EngineEntry, ...]) -> None:
        """Look at those whose version is known before they have said it."""
        for entry in entries:
            if entry.version:
                self._look(entry.spec.name, entry.version, entry.program)

    def observe(self, event: Event) -> None:
        """Pass an event on, and look at who has played."""
        self._observe(event)
        if isinstance(event, GameEnded):
            for player in event.result.players:
                self._look(player.name, player.version, player.program)

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
