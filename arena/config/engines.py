"""The engines of a tournament file: defaults filled in, commands found."""

from __future__ import annotations

import math
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from arena.config.limits import SANDBOXES, read_limits, read_readable, seen_by_python
from arena.config.schema import DefaultsTable, EngineTable, TournamentTable
from arena.config.source import Key, Source
from arena.config.spec import EngineEntry
from arena.config.values import chosen, hint, resolve
from protocol.errors import EngineStartError
from protocol.process import sandbox
from protocol.spec import EngineSpec, Timeouts
from referee.errors import TimeControlError
from referee.match.time_control import TimeControl

__all__ = ["PYTHON", "SkipMissing", "parse_time_control", "read_engines"]

SkipMissing = Callable[[str, str], None]
"""Is told of an engine that is left out: its name, and what is wrong with its program."""

PYTHON = "{python}"
"""As the first word of a command: the interpreter that runs arena, with all that is installed for it."""

CWD = "{cwd}"
"""In a command: the engine's ``cwd``, for engines that start in another folder, an empty one."""

_TEXT = {True: "true", False: "false"}


def read_engines(
    source: Source,
    table: TournamentTable,
    games: tuple[str, ...],
    control: TimeControl,
    skip_missing: SkipMissing | None,
) -> tuple[EngineEntry, ...]:
    """All ``[[engines]]``; without those that have no program, if these are to be skipped.

    Raises:
        ConfigError: a value that cannot be used, two engines of one name, a program that cannot be started.
    """
    entries: list[EngineEntry] = []
    for index, engine in enumerate(table.engines):
        _check_name(source, index, [other.name for other in table.engines[:index]], engine.name)
        entry = _Reader(source, index, engine, table.defaults, games).entry(control)
        problem = _no_program(entry.spec)
        if problem is None:
            entries.append(entry)
        elif skip_missing is None:
            raise source.error(("engines", index, "command"), problem)
        else:
            skip_missing(engine.name, problem)
    return tuple(entries)


def parse_time_control(source: Source, key: Key, text: str) -> TimeControl:
    """Read a time control.

    Raises:
        ConfigError: it is none; the message has the accepted forms.
    """
    try:
        return TimeControl.parse(text)
    except TimeControlError as error:
        raise source.error(key, str(error)) from None


class _Reader:
    """Reads one engine; its own keys come before those of ``[defaults]``."""

    def __init__(
        self, source: Source, index: int, engine: EngineTable, defaults: DefaultsTable, games: tuple[str, ...]
    ) -> None:
        self._source = source
        self._here: Key = ("engines", index)
        self._engine = engine
        self._defaults = defaults
        self._games = games

    def entry(self, control: TimeControl) -> EngineEntry:
        own_control = self._engine.time_control
        if own_control is not None:
            control = parse_time_control(self._source, (*self._here, "time_control"), own_control)
        cwd, env = self._cwd(), self._env()
        spec = EngineSpec(
            name=self._engine.name,
            command=self._command(cwd),
            cwd=str(cwd),
            env=env,
            dialect=self._word("dialect", ("ugi", "uci")),
            options=self._options(),
            sync=self._word("sync", ("move", "game")),
            margin=self._margin(),
            timeouts=self._timeouts(),
            limits=read_limits(self._source, self._tables("limits")),
            sandbox=self._word("sandbox", SANDBOXES),
            readable=self._readable(cwd),
        )
        return EngineEntry(spec, control, self._entered(), self._value("version")[0] or "")

    def _value(self, name: str) -> tuple[Any, Key]:
        """The value of a key and where it stands."""
        value = getattr(self._engine, name)
        if value is not None:
            return value, (*self._here, name)
        return getattr(self._defaults, name), ("defaults", name)

    def _tables(self, name: str) -> list[tuple[Any, Key]]:
        """The two tables of a key that are merged, the engine's own last."""
        both = [
            (getattr(self._defaults, name), ("defaults", name)),
            (getattr(self._engine, name), (*self._here, name)),
        ]
        return [(table, key) for table, key in both if table is not None]

    def _word(self, name: str, known: tuple[str, ...]) -> Any:  # noqa: ANN401 - a Literal
        value, key = self._value(name)
        return chosen(self._source, key, value, known)

    def _cwd(self) -> Path:
        text, key = self._value("cwd")
        if text is None:
            return self._source.path.absolute().parent
        cwd = resolve(self._source, key, text)
        try:
            if cwd.is_dir():
                return cwd
        except OSError as error:
            raise self._source.error(key, f"{cwd}: {error.strerror}") from None
        raise self._source.error(key, f"there is no folder {cwd}")

    def _env(self) -> dict[str, str]:
        env: dict[str, str] = {}
        for table, key in self._tables("env"):
            for name, value in table.items():
                text = self._text((*key, name), value)
                if not name or "=" in name or "\0" in name + text:
                    raise self._source.error(
                        (*key, name), "an environment variable can't be called or hold this"
                    )
                env[name] = text
        return env

    def _options(self) -> dict[str, str]:
        options: dict[str, str] = {}
        for table, key in self._tables("options"):
            for name, value in table.items():
                text = self._text((*key, name), value)
                if not name.strip() or not (name + text).isprintable():
                    raise self._source.error(
                        (*key, name), "an option's name and value must be one printable line"
                    )
                options[name] = text
        return options

    def _text(self, key: Key, value: object) -> str:
        """A value as engines read it."""
        if isinstance(value, bool):
            return _TEXT[value]
        if isinstance(value, str | int | float):
            return str(value)
        raise self._source.error(key, "this must be a text, a number, true or false")

    def _margin(self) -> int:
        value, key = self._value("margin")
        if value is None:
            return 100
        if value < 0:
            raise self._source.error(key, f"this must be 0 or more milliseconds, not {value}")
        return int(value)

    def _timeouts(self) -> Timeouts:
        given: dict[str, float] = {}
        for table, key in self._tables("timeouts"):
            for name in table.__struct_fields__:
                value = getattr(table, name)
                if value is None:
                    continue
                if not value > 0 or math.isinf(value):
                    raise self._source.error(
                        (*key, name), f"this must be a positive number of seconds, not {value}"
                    )
                given[name] = value
        return Timeouts(**given)

    def _entered(self) -> tuple[str, ...]:
        games, key = self._value("games")
        if games is None:
            return self._games
        for item, game in enumerate(games):
            if game not in self._games:
                problem = f"{game!r} is not one of the tournament's games{hint(game, self._games)}"
                raise self._source.error(key, problem, item=item)
        if not games:
            raise self._source.error(
                key, "an engine must enter at least one game; leave this out for all of them"
            )
        return tuple(game for game in self._games if game in games)

    def _readable(self, cwd: Path) -> tuple[str, ...]:
        paths, key = self._value("readable")
        given = read_readable(self._source, key, paths or [])
        own = () if self._value("cwd")[0] is None else (str(cwd),)
        return (*own, *given, *(seen_by_python() if self._words()[0] == PYTHON else ()))

    def _words(self) -> list[str]:
        key = (*self._here, "command")
        words = self._engine.command
        if isinstance(words, str):
            try:
                words = shlex.split(words)
            except ValueError as error:
                raise self._source.error(
                    key, f"this can't be split into words: {str(error).lower()}"
                ) from None
        if not words or not words[0]:
            raise self._source.error(key, "this must name a program")
        if any("\0" in word for word in words):
            raise self._source.error(key, "a command can't contain a null character")
        return words

    def _command(self, cwd: Path) -> tuple[str, ...]:
        first, *others = (word.replace(CWD, str(cwd)) for word in self._words())
        program = sys.executable if first == PYTHON else first
        if "/" in program:
            program = str(resolve(self._source, (*self._here, "command"), program))
        return (program, *others)


def _no_program(spec: EngineSpec) -> str | None:
    """What keeps an engine's program from being started, and what to do about it; None if nothing does."""
    try:
        sandbox.check(spec)
    except EngineStartError as error:
        return str(error)
    return None


def _check_name(source: Source, index: int, before: list[str], name: str) -> None:
    key: Key = ("engines", index, "name")
    if not name or not name.isprintable() or name != name.strip() or "|" in name:
        problem = "a name must be printable and not empty, without | and without spaces at its ends"
        raise source.error(key, problem)
    if name in before:
        line = source.line(("engines", before.index(name), "name"))
        raise source.error(key, f"another engine has this name already (line {line}); names must differ")
