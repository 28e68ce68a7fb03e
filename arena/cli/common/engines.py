"""Engines on the command line: their commands, their settings, warnings, and dialogues with them.

The options of `engine_options` are keys of an engine in a tournament file.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Final

import click

from arena import bridges, samples
from arena.cli.common import values
from arena.cli.common.output import tell
from arena.cli.common.parameters import Decorated
from protocol.process.program import CWD, PYTHON, split_command
from protocol.spec import EngineSpec
from protocol.words import printable


def read_command(text: str, option: str) -> tuple[str, ...]:
    """Split a command into program and arguments by the quoting rules of a shell, without running a shell.

    A text that is empty, or has an open quotation mark, is a wrong use of the ``option``.
    """
    try:
        words = split_command(text)
    except ValueError as error:
        raise click.UsageError(f"{option} {text!r} can't be split into words: {error}") from None
    if not words:
        raise click.UsageError(f"{option} must name an engine's command")
    return tuple(words)


def read_words(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the engine command that follows ``--``: separate words, or a single text to split."""
    if not words:
        raise click.UsageError("name the engine's command after --, as in: -- python3 mine.py")
    return read_command(words[0], "the command") if len(words) == 1 else words


def echo_line(seat: int, seconds: float, direction: str, text: str) -> None:
    """Print one line of the dialogue with the engine on ``seat`` (from 0) to standard error."""
    tell(f"{seconds:9.4f} {seat + 1} {direction} {printable(text)}")


def warn_of_engine(name: str, text: str) -> None:
    """Print a warning about the engine of this name."""
    tell(f"warning: {name}: {text}")


def warn_of_root(specs: Iterable[EngineSpec]) -> None:
    """Print one warning if engines will run with the rights of root. Call this once, before they start."""
    from protocol.process.sandbox import runs_as_root

    if any(map(runs_as_root, specs)):
        names = {parameter.name for parameter in click.get_current_context().command.params}
        remedy = next((f"{text}, or " for name, text in _REMEDIES.items() if name in names), "")
        tell(
            "warning: arena runs as root and starts engines without bubblewrap: they can read, change and"
            f" delete everything on this machine; {remedy}run arena as another user"
        )


_IN_FILE: Final = 'write `sandbox = "bwrap"` below [defaults] in the tournament file'
_REMEDIES: Final = {
    "sandbox": "add `--sandbox bwrap` to the command",
    "orders": 'give each engine `"sandbox": "bwrap"` in the orders',
    "engines": _IN_FILE,
    "file": _IN_FILE,
}
"""What contains engines, by the parameter of a command that says it. A command without one starts its own."""


# --- the settings of engines ------------------------------------------------------------------------------

_NAMES: Final = {"position": "position-form", "limits": "limit", "options": "option"}
"""The names of options that differ from those of the keys."""

_HELP: Final = {
    "options": "Set an option of {engines}; repeatable.",
    "force_options": "Send the options also if the engine does not offer them.",
    "dialect": "The protocol of {engines}.",
    "position": "The form of positions for {engines}, as the key `position`.",
    "sync": "Send `isready` before each move, or once a game.",
    "margin": "Milliseconds that an answer may be late.",
    "sandbox": "What {engines} can reach, as in a tournament file.",
    "cwd": "The folder of {engines}; {{cwd}} in a command stands for it.",
    "readable": "A file or folder that may also be read in the sandbox `bwrap`; repeatable.",
    "limits": "A limit, as in a tournament file: memory=1G, processes=64; repeatable.",
}
"""The keys that have an option, in the order of the help, and what the help says of them."""

_METAVARS: Final = {
    "options": "NAME=VALUE",
    "margin": "MS",
    "cwd": "DIR",
    "readable": "PATH",
    "limits": "NAME=VALUE",
}
_FOR_EACH: Final = ("dialect", "position", "sync", "margin", "cwd")
_REPEATABLE: Final = ("options", "readable", "limits")
_PATHS: Final = ("cwd", "readable")

_NEED_CONFIG: Final = frozenset({"sandbox", "cwd", "readable", "limits"})
"""The keys whose values `arena.config` reads, which takes a tenth of a second to import."""

_CHESS: Final = ("uci", "xboard")
"""The dialects that are protocols for chess."""


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """What the options set, by the keys of a tournament file. Engines have numbers from 0."""

    common: Mapping[str, Any]  # for all engines
    each: Mapping[str, Sequence[Any]]  # one value for all engines, or one for each
    options: tuple[tuple[int | None, str, str], ...]  # the engine (None: all), the name, the value

    def check_numbers(self, owner: str, count: int, people: Collection[int] = ()) -> None:
        """Raise a UsageError if the options are not for so many engines; ``people`` have none.

        ``owner`` begins the message: ``hops has 2 seats``.
        """
        for key, given in self.each.items():
            one_for_each(given, count, _option_of(key), owner)
        for number, name, _ in self.options:
            if number is not None and (number not in range(count) or number in people):
                who = "a person has no options" if number in people else owner
                raise click.UsageError(f"--option {number + 1}:{name}: {who}")

    def check_name(self, engine: str, place: int) -> None:
        """Raise a UsageError if an option names this engine, and not its place, which is from 1."""
        for number, name, value in self.options:
            if number is None and name.startswith(f"{engine}:"):
                right = f"{place}:{name.removeprefix(f'{engine}:')}={value}"
                raise click.UsageError(f"--option {name}={value}: engines have numbers here; write {right}")

    def keys(self, command: Sequence[str], number: int = 0) -> dict[str, Any]:
        """Return the keys that are set for an engine with this command. Those of arena speak UGI."""
        each = {key: given[number if len(given) > 1 else 0] for key, given in self.each.items() if given}
        if command[0].startswith((samples.PREFIX, bridges.PREFIX)):
            each.pop("dialect", None)
        options = {name: value for owner, name, value in self.options if owner is None}
        options |= {name: value for owner, name, value in self.options if owner == number}
        return {**self.common, **each, **({"options": options} if options else {})}

    def words(self, command: Sequence[str], number: int = 0) -> Iterator[str]:
        """Yield the options that set the same for one engine alone."""
        for key, value in self.keys(command, number).items():
            if value is True:
                yield _option_of(key)
                continue
            items = [f"{name}={inner}" for name, inner in value.items()] if isinstance(value, dict) else value
            for item in items if isinstance(items, list) else [items]:
                yield from (_option_of(key), str(item))

    def spec(self, name: str, command: tuple[str, ...], number: int = 0) -> EngineSpec:
        """Return an engine with its settings, as if a tournament file in the current folder had them.

        ``{python}`` and ``{cwd}`` in its command are replaced. EngineStartError: a file is missing, or this
        machine or the sandbox does not let the engine start.
        """
        spec = self._unchecked(name, command, number)
        bridges.check(spec)
        return spec

    def _unchecked(self, name: str, command: tuple[str, ...], number: int) -> EngineSpec:
        keys = self.keys(command, number)
        try:
            if not _NEED_CONFIG & keys.keys() and not any(CWD in word for word in command):
                program, *arguments = bridges.expanded(command)
                words = (sys.executable if program == PYTHON else program, *arguments)
                return EngineSpec(name=name, command=words, **keys)
            from arena.config.engines import engine_spec
            from arena.config.validation import read_engine
            from protocol.keys import WrongKey

            try:
                table = read_engine({"name": name, "command": list(command), **keys}, Path.cwd())
            except WrongKey as wrong:
                option = " ".join((_option_of(wrong.names[0]), *wrong.names[1:]))
                raise click.UsageError(f"{option}: {wrong}") from None
            return engine_spec(table, Path.cwd())
        except ValueError as error:
            raise click.UsageError(f"{name}: {error}") from None

    def implied_game(self, other: str) -> str | None:
        """Return chess, and say so, if an engine speaks a protocol of chess; ``other`` chooses another."""
        dialect = next((dialect for dialect in self.each["dialect"] if dialect in _CHESS), None)
        if dialect is None:
            return None
        tell(f"the game is chess, because engines that speak {dialect} play it; {other} chooses another")
        return "chess"


def one_for_each(given: Sequence[object], count: int, option: str, owner: str) -> None:
    """Raise a UsageError unless an option is given never, once, or once for each of ``count`` engines."""
    if len(given) not in (0, 1, count):
        raise click.UsageError(f"{owner}: give {option} once or {count} times, not {len(given)}")


def _option_of(key: str) -> str:
    return f"--{_NAMES.get(key, key).replace('_', '-')}"


def _parameter_of(key: str) -> str:
    """The name of the option's value in Python; ``position`` is where a game begins."""
    return "position_form" if key == "position" else key


def _read_option(text: str, *, numbered: bool) -> tuple[int | None, str, str]:
    name, equals, value = text.partition("=")
    number, colon, rest = name.partition(":")
    owner = None
    if numbered and colon and number.isdecimal() and len(number) < 5:
        owner, name = int(number) - 1, rest
    if not equals or not name.strip() or not text.isprintable() or owner == -1:
        form = "NAME=VALUE or N:NAME=VALUE" if numbered else "NAME=VALUE"
        raise click.UsageError(f"--option {text!r} is not of the form {form}, as in Hash=64")
    return owner, name.strip(), value.strip()


def _read_limit(text: str) -> tuple[str, int | str]:
    """Return the key and the value of a limit."""
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not name or not value:
        raise click.UsageError(f"--limit {text!r} is not of the form NAME=VALUE, as in memory=1G")
    return name, int(value) if value.isdecimal() and len(value) < 20 else value


def engine_options(engines: str, *, each: str = "", margin: bool = True) -> Callable[[Decorated], Decorated]:
    """Add the options to a command, which takes them as ``settings``.

    ``engines`` says in the help for which ones they are. If there are several, ``each`` is the word for one:
    some options may be given for each. Without ``margin``, the command has a margin of its own.
    """
    keys = [key for key in _HELP if margin or key != "margin"]

    def decorate(function: Decorated) -> Decorated:
        @wraps(function)
        def with_settings(*args: Any, **others: Any) -> Any:  # noqa: ANN401 - any command
            given = {key: others.pop(_parameter_of(key)) for key in keys}
            return function(*args, settings=_settings(given, several=bool(each)), **others)

        for key in reversed(keys):
            with_settings = _option(key, engines, each)(with_settings)
        return with_settings  # type: ignore[return-value]  # it takes other arguments

    return decorate


def _option(key: str, engines: str, each: str) -> Callable[[Decorated], Decorated]:
    """Return the option that sets a key. `EngineSpec` declares its values, its bounds and its default."""
    declared = EngineSpec.declarations().get(key)
    kind: click.ParamType[Any] = values.PATH if key in _PATHS else values.LINE
    text, default = _HELP[key].format(engines=engines), ""
    if declared is not None and declared.choices:
        kind, default = click.Choice(declared.choices), f"  [default: {declared.default}]"
    elif declared is not None and declared.bounds is not None:
        kind = values.Number(declared.bounds.least, declared.bounds.most)
        default = f"  [default: {declared.default}]"
    metavar = _METAVARS.get(key)
    if each and key == "options":
        metavar, text = f"[N:]{metavar}", f"{text} With N: before it, only of {each} N."
    elif each and key in _FOR_EACH:
        text = f"{text} Give it once, or once for each {each}."
    return click.option(
        _option_of(key),
        _parameter_of(key),
        type=None if key == "force_options" else kind,
        is_flag=True if key == "force_options" else None,  # with False, -1 would be no value
        multiple=bool(each) if key in _FOR_EACH else key in _REPEATABLE,
        metavar=metavar,
        help=text + default,
    )


def _settings(given: Mapping[str, Any], *, several: bool) -> EngineSettings:
    """Return what the options set, by the values that click read."""
    common = {
        "force_options": given["force_options"],
        "sandbox": given["sandbox"],
        "readable": list(given["readable"]),
        "limits": dict(map(_read_limit, given["limits"])),
    }
    each = {key: given[key] for key in _FOR_EACH if key in given}
    if not several:
        each = {key: () if value is None else (value,) for key, value in each.items()}
    return EngineSettings(
        {key: value for key, value in common.items() if value not in (None, False, "none", [], {})},
        each,
        tuple(_read_option(text, numbered=several) for text in given["options"]),
    )
