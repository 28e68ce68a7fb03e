"""Make the engines of a tournament from their tables in the file, and find their programs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from glob import glob
from pathlib import Path
from typing import Any, Final

from arena import bridges, samples
from arena.config.door_keys import DOOR, DOOR_SOCKET, REMOTE, DoorKeys
from arena.config.key_types import resolved
from arena.config.spec import EngineEntry
from arena.config.toml_file import TomlFile
from arena.config.tournament_keys import EngineTable
from arena.config.validation import format_of
from arena.strength.levels import check_level
from protocol.errors import EngineStartError
from protocol.keys import KeyPath
from protocol.process.program import CWD, PYTHON
from protocol.spec import EngineSpec, Remote
from protocol.wire.xboard import limit_problem
from protocol.words import did_you_mean
from referee.match.time_control import NS_PER_MS, TimeControl

SHOWN_AS: Final = "/engine"
"""Where an engine from the door sees its folder."""

_WILD: Final = frozenset("*?[")

SkipMissing = Callable[[str, str], None]
"""Called for each engine that is left out, with its name and the problem with its program."""


def with_globs(file: TomlFile) -> TomlFile:
    """Return a file in which a table with the key ``glob`` is a table for each file that fits it."""
    tables = file.data.get("engines")
    engines: list[object] = []
    origins: list[int] = []
    for number, table in enumerate(tables if isinstance(tables, list) else ()):
        is_glob = isinstance(table, dict) and "glob" in table
        fitting = list(_fitting(file, ("engines", number), table)) if is_glob else [table]
        if not fitting:
            problem = f"no file in {file.folder} fits {table['glob']!r}"
            raise file.error(("engines", number, "glob"), problem)
        engines += fitting
        origins += [number] * len(fitting)
    data = {**file.data, "engines": engines} if isinstance(tables, list) else file.data
    return replace(file, data=data, origins=tuple(origins))


def _fitting(file: TomlFile, place: KeyPath, table: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a table for each file: with its folder as ``cwd``, and the name that the wildcards match."""
    pattern = table["glob"]
    if not isinstance(pattern, str) or not _WILD & set(pattern):
        raise file.error((*place, "glob"), 'this must be a text with a *, such as "bots/*/bot.py"')
    if "name" in table:
        raise file.error(
            (*place, "name"), "each engine of a glob gets what * matches as its name; remove this key"
        )
    for path in map(Path, sorted(glob(pattern, root_dir=file.folder))):  # noqa: PTH207 - or an absolute one
        whole = file.folder / path
        folder, parts = (whole, path.parts) if whole.is_dir() else (whole.parent, path.with_suffix("").parts)
        names = [part for wild, part in zip(Path(pattern).parts, parts, strict=True) if _WILD & set(wild)]
        yield {"cwd": str(folder), **table, "glob": str(whole), "name": "-".join(names)}


def with_sides(file: TomlFile) -> TomlFile:
    """Return a file in which an engine that plays itself has a table for each side."""
    form, engines = format_of(file), file.data.get("engines", [])
    if not form.sides or not isinstance(engines, list):
        return file
    if len(engines) != 1:
        problem = f'with format = "{form.name}" one engine plays itself, but the file has {len(engines)}'
        raise file.error(("engines",), problem)
    (table,) = engines
    if not isinstance(table, dict) or not isinstance(table.get("name"), str):
        return file
    tables = [{**table, "name": f"{table['name']}{side}"} for side in form.sides]
    return replace(file, data={**file.data, "engines": tables}, origins=file.origins * len(tables))


def read_engines(
    file: TomlFile,
    tables: Sequence[EngineTable],
    games: tuple[str, ...],
    control: TimeControl,
    skip_missing: SkipMissing | None,
    door: DoorKeys | None = None,
) -> tuple[EngineEntry, ...]:
    """Make the engines of a tournament, or raise a ConfigError about the first one that cannot play."""
    entries: list[EngineEntry] = []
    indices: dict[str, int] = {}
    for index, table in enumerate(tables):
        place = ("engines", index)
        if table.name in indices:
            line = file.line(("engines", indices[table.name], "name"))
            where = "" if line is None else f" (line {line})"
            problem = f"another engine has this name already{where}; names must differ"
            raise file.error((*place, "name"), problem)
        indices[table.name] = index
        entered = _entered(file, place, table, games)
        try:
            for game_id in entered:
                check_level(table.command, game_id)
            spec = engine_spec(table, file.folder, door)
        except ValueError as error:
            raise file.error((*place, "command"), str(error)) from None
        if table.build and table.cwd is None:
            problem = "the engine needs the key cwd, too: the folder of its sources, where it is built"
            raise file.error((*place, "build"), problem)
        try:
            if not table.build and spec.remote is None:  # its program is checked when it is built
                bridges.check(spec)
        except EngineStartError as error:
            if skip_missing is None:
                raise file.error((*place, "command"), str(error)) from None
            skip_missing(table.name, str(error))
            continue
        chosen = table.time_control or control
        movetime = None if chosen.movetime_ns is None else chosen.movetime_ns // NS_PER_MS
        if spec.dialect == "xboard" and (problem := limit_problem(movetime, chosen.nodes)):
            raise file.error((*place, "time_control"), f"an engine that speaks xboard {problem}")
        entries.append(EngineEntry(spec, chosen, entered, table.version, build=table.build))
    return tuple(entries)


def _entered(file: TomlFile, place: KeyPath, table: EngineTable, games: tuple[str, ...]) -> tuple[str, ...]:
    """The games that an engine enters, in the order of the tournament."""
    place = (*place, "games")
    if table.games is None:
        return games
    if not table.games:
        raise file.error(place, "an engine must enter at least one game; remove this key to enter all games")
    for item, game in enumerate(table.games):
        if game not in games:
            problem = f"{game!r} is not one of the tournament's games{did_you_mean(game, games)}"
            raise file.error((*place, item), problem)
    return tuple(game for game in games if game in table.games)


def engine_spec(table: EngineTable, folder: Path, door: DoorKeys | None = None) -> EngineSpec:
    """Make the `EngineSpec` from the keys of the same names; ``folder`` is the default ``cwd``.

    It raises a ValueError if the program cannot be the path of a file, a name such as ``sample:greedy`` or
    an option of a bridge is wrong, or it is remote and the ``door`` of the file has no remote bots.
    """
    values = {
        field.name: getattr(table, field.name)
        for field in fields(EngineSpec)
        if field.name not in ("remote", "shown_as")
    }
    if table.command[0].startswith(REMOTE):
        return EngineSpec(**values | {"cwd": None, "readable": (), "remote": _remote(table, folder, door)})
    cwd = folder if table.cwd is None else table.cwd
    command = bridges.expanded(table.command)
    command = tuple(word.replace(CWD, str(cwd)) for word in command)
    if table.glob:
        command = tuple(word.replace("{file}", table.glob) for word in command)
    first_word, *arguments = command
    program = sys.executable if first_word == PYTHON else first_word
    if "/" in program:
        program = str(resolved(program, folder))
    cwd_paths = () if table.cwd is None else (table.cwd,)
    own_paths = python_paths() if first_word == PYTHON else ()
    if samples.is_sample(table.command[0]):
        own_paths += (str(Path(arguments[0]).parent),)
    return EngineSpec(
        **values
        | {
            "command": (program, *arguments),
            "cwd": str(cwd),
            "readable": tuple(map(str, (*cwd_paths, *table.readable, *own_paths))),
            "shown_as": SHOWN_AS if cwd.is_relative_to((folder / DOOR).absolute()) else "",
        }
    )


def _remote(table: EngineTable, folder: Path, door: DoorKeys | None) -> Remote:
    if door is None or door.bots == "uploaded":
        raise ValueError(f'an engine {REMOTE}NAME comes through a [door] with bots = "remote" or "both"')
    name = table.command[0].removeprefix(REMOTE)
    return Remote(str(folder / DOOR / DOOR_SOCKET), name, door.remote.lag, door.remote.grace)


def python_paths() -> tuple[str, ...]:
    """The folders that the interpreter of arena must read: its own, and our packages elsewhere."""
    import protocol
    import referee

    arena = Path(__file__).parents[1]
    packages = [str(Path(path).absolute()) for path in (arena, protocol.__path__[0], referee.__path__[0])]
    roots = (sys.prefix, sys.base_prefix)
    return (*roots, *(path for path in packages if not path.startswith(f"{sys.prefix}/")))
