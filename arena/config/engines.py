"""From the tables of a tournament file to its engines: commands made whole, programs found."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
from pathlib import Path

from arena.config.engine_keys import EngineTable
from arena.config.key_types import resolved
from arena.config.spec import EngineEntry
from arena.config.toml_file import KeyPath, TomlFile, did_you_mean
from protocol.errors import EngineStartError
from protocol.process import sandbox
from protocol.process.program import PYTHON
from protocol.spec import EngineSpec, ResourceLimits, Timeouts
from referee.match.time_control import TimeControl

__all__ = ["SkipMissing", "read_engines"]

SkipMissing = Callable[[str, str], None]
"""Is told of an engine that is left out: its name, and what is wrong with its program."""

CWD = "{cwd}"
"""In a command: the engine's ``cwd``, for engines that start in another folder, an empty one."""


def read_engines(
    file: TomlFile,
    tables: Sequence[EngineTable],
    games: tuple[str, ...],
    control: TimeControl,
    skip_missing: SkipMissing | None,
) -> tuple[EngineEntry, ...]:
    """All engines; without those that have no program, if these are to be skipped.

    Args:
        file: where they come from.
        tables: their keys.
        games: the ids of the tournament's games.
        control: the time control of engines that have none of their own.
        skip_missing: as in `arena.config.load`.

    Raises:
        ConfigError: two engines of one name, a game that is not played, a program that cannot be started.
    """
    entries: list[EngineEntry] = []
    first: dict[str, int] = {}
    for index, table in enumerate(tables):
        place = ("engines", index)
        if table.name in first:
            line = file.line(("engines", first[table.name], "name"))
            problem = f"another engine has this name already (line {line}); names must differ"
            raise file.error((*place, "name"), problem)
        first[table.name] = index
        entered = _entered(file, place, table, games)
        spec = _spec(file, place, table)
        try:
            sandbox.check(spec)
        except EngineStartError as error:
            if skip_missing is None:
                raise file.error((*place, "command"), str(error)) from None
            skip_missing(table.name, str(error))
            continue
        entries.append(EngineEntry(spec, table.time_control or control, entered, table.version))
    return tuple(entries)


def _entered(file: TomlFile, place: KeyPath, table: EngineTable, games: tuple[str, ...]) -> tuple[str, ...]:
    """The games that an engine enters, in the order of the tournament."""
    place = (*place, "games")
    if table.games is None:
        return games
    if not table.games:
        raise file.error(place, "an engine must enter at least one game; leave this out for all of them")
    for item, game in enumerate(table.games):
        if game not in games:
            problem = f"{game!r} is not one of the tournament's games{did_you_mean(game, games)}"
            raise file.error((*place, item), problem)
    return tuple(game for game in games if game in table.games)


def _spec(file: TomlFile, place: KeyPath, table: EngineTable) -> EngineSpec:
    """What the referee is told of an engine: the keys that `EngineSpec` has, most of them as they are."""
    folder = file.folder
    cwd = folder if table.cwd is None else table.cwd
    first, *others = (word.replace(CWD, str(cwd)) for word in table.command)
    program = sys.executable if first == PYTHON else first
    if "/" in program:
        try:
            program = str(resolved(program, folder))
        except ValueError as error:
            raise file.error((*place, "command"), str(error)) from None
    own = () if table.cwd is None else (table.cwd,)
    python = _seen_by_python() if first == PYTHON else ()
    same = {field.name: getattr(table, field.name) for field in fields(EngineSpec)}
    return EngineSpec(
        **same
        | {
            "command": (program, *others),
            "cwd": str(cwd),
            "timeouts": Timeouts(**asdict(table.timeouts)),
            "limits": ResourceLimits(**asdict(table.limits)),
            "readable": tuple(map(str, (*own, *table.readable, *python))),
        }
    )


def _seen_by_python() -> tuple[str, ...]:
    """What the interpreter that runs arena needs to see: itself, its packages, and ours if they are apart."""
    import arena
    import protocol
    import referee

    packages = [str(Path(package.__path__[0]).absolute()) for package in (arena, protocol, referee)]
    roots = (sys.prefix, sys.base_prefix)
    return (*roots, *(path for path in packages if not path.startswith(f"{sys.prefix}/")))
