"""Engines on the command line: their commands, their settings, warnings, and dialogues with them.

The options of `engine_options` set keys of an engine as a tournament file has them.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Final

import click

from arena import bridges, samples
from arena.cli.common import values
from arena.cli.common.output import tell
from arena.cli.common.parameters import Decorated
from protocol.keys import DeclaredKey, OrUnlimited, quoted
from protocol.process.program import CWD, PYTHON, split_command
from protocol.spec import EngineSpec
from protocol.words import did_you_mean, printable


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
        tell(
            "warning: arena runs as root and starts engines without bubblewrap: they can read, change and"
            ' delete everything on this machine; give them sandbox = "bwrap", or run arena as another user'
        )


# --- the settings of engines ------------------------------------------------------------------------------

SHORT_OPTIONS: Final = ("options", "dialect", "sandbox", "cwd")
"""The keys that have an option of their own, beside ``--set``."""

_CHESS: Final = ("uci", "xboard")
"""The dialects that are protocols for chess."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One key of an engine in a tournament file, with its value."""

    engine: int | None  # from 0; None for all engines
    key: tuple[str, ...]  # ("limits", "memory")
    value: Any
    option: str  # as the user has typed it, without the value: --set 2:limits.memory


_OF_EACH: Final = ("--dialect", "--cwd")
"""The options that are given once, or once for each engine or seat."""


@dataclass(frozen=True, slots=True)
class CommandLineSettings:
    """What the options set, by the keys of a tournament file. Engines have numbers from 0."""

    settings: tuple[Setting, ...] = ()

    def check_numbers(self, owner: str, count: int, people: Collection[int] = ()) -> None:
        """Raise a UsageError if the options are not for this many engines; ``people`` have none.

        ``owner`` is a part of the message: ``hops has 2 seats``.
        """
        for option in _OF_EACH:
            one_for_each([each for each in self.settings if each.option == option], count, option, owner)
        for setting in self.settings:
            if setting.engine in people and setting.option not in _OF_EACH:
                raise click.UsageError(f"{setting.option}: a person has no settings")
            if setting.engine is not None and setting.engine not in range(count):
                raise click.UsageError(f"{setting.option}: {owner}")

    def keys(self, command: Sequence[str], number: int = 0) -> dict[str, Any]:
        """Return the keys that are set for an engine with this command. Arena's engines speak UGI."""
        keys: dict[str, Any] = {}
        for setting in sorted(self.settings, key=lambda setting: setting.engine is not None):
            if setting.engine not in (None, number):
                continue
            first, *inner = setting.key
            if inner:
                keys[first] = {**keys.get(first, {}), inner[0]: setting.value}
            elif first == "readable":
                keys[first] = [*keys.get(first, []), setting.value]
            else:
                keys[first] = setting.value
        if samples.is_sample(command[0]) or command[0].startswith(bridges.PREFIX):
            keys.pop("dialect", None)
        return keys

    def words(self, command: Sequence[str], number: int = 0) -> Iterator[str]:
        """Yield the options that set the same for a single engine, for any command with engines."""
        for key, value in self.keys(command, number).items():
            if isinstance(value, dict):
                items = [f"{key}.{name}={inner}" for name, inner in value.items()]
            else:
                items = [f"{key}={item}" for item in (value if isinstance(value, list) else [value])]
            for item in items:
                yield from ("--set", item.lower() if isinstance(value, bool) else item)

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
            if keys.keys() <= {"options", "dialect"} and not any(CWD in word for word in command):
                program, *arguments = bridges.expanded(command)  # `arena.config` takes 0.1 s to import
                words = (sys.executable if program == PYTHON else program, *arguments)
                return EngineSpec(name=name, command=words, **keys)
            from arena.config.engines import engine_spec
            from arena.config.validation import read_engine
            from protocol.keys import WrongKey

            try:
                table = read_engine({"name": name, "command": list(command), **keys}, Path.cwd())
            except WrongKey as wrong:
                typed = {setting.key: setting.option for setting in self.settings}
                option = typed.get(wrong.names, f"--{'.'.join(wrong.names)}")
                raise click.UsageError(f"{option}: {wrong}") from None
            return engine_spec(table, Path.cwd())
        except ValueError as error:
            raise click.UsageError(f"{name}: {error}") from None

    def implied_game(self, other: str) -> str | None:
        """Return chess, and print it, if an engine speaks a protocol of chess; ``other`` chooses another."""
        dialects = (setting.value for setting in self.settings if setting.key == ("dialect",))
        dialect = next((dialect for dialect in dialects if dialect in _CHESS), None)
        if dialect is None:
            return None
        tell(f"the game is chess, because engines that speak {dialect} play it; {other} chooses another")
        return "chess"


def one_for_each(given: Sequence[object], count: int, option: str, owner: str) -> None:
    """Raise a UsageError unless an option is given never, once, or once for each of ``count`` engines."""
    if len(given) not in (0, 1, count):
        raise click.UsageError(f"{owner}: give {option} once or {count} times, not {len(given)}")


def _split(option: str, text: str, form: str, example: str, *, several: bool) -> tuple[int | None, str, str]:
    """Split ``[N:]NAME=VALUE`` into the number of the engine, from 0, the name and the value."""
    name, equals, value = text.partition("=")
    number, colon, rest = name.partition(":")
    engine = None
    if several and colon and number.isdecimal() and len(number) < 5:
        engine, name = int(number) - 1, rest
    if not equals or not name.strip() or not name.isprintable() or engine == -1:
        forms = f"{form} or N:{form}" if several else form
        raise click.UsageError(f"{option} {text!r} is not of the form {forms}, as in {example}")
    return engine, name.strip(), value.strip()


def _read_option(text: str, *, several: bool) -> Setting:
    engine, name, value = _split("--option", text, "NAME=VALUE", "Hash=64", several=several)
    return Setting(engine, ("options", name), value, f"--option {text.partition('=')[0]}")


def _read_setting(text: str, *, several: bool, margin: bool) -> Setting:
    engine, name, value = _split("--set", text, "KEY=VALUE", "margin=200", several=several)
    option = f"--set {text.partition('=')[0]}"
    table, _, inner = name.partition(".")
    if table in ("options", "env") and inner:
        return Setting(engine, (table, inner), value, option)
    declared = _declared_keys(margin=margin)
    if name not in declared and name not in ("cwd", "readable"):
        names = (*declared, "cwd", "readable", "options.NAME", "env.NAME")
        inner_names = {key.rpartition(".")[2]: key for key in names}
        meant = did_you_mean(inner_names.get(name, name), names) or f"; the keys are {', '.join(names)}"
        raise click.UsageError(f"{option}: there is no such key{meant}")
    return Setting(engine, tuple(name.split(".")), _value(declared.get(name), value, option), option)


def _declared_keys(*, margin: bool) -> dict[str, DeclaredKey]:
    """Return the keys of an engine by name; a key of an inner table as ``limits.memory``."""
    keys: dict[str, DeclaredKey] = {}
    for name, declared in EngineSpec.declarations().items():
        if declared.table is not None:
            keys |= {f"{name}.{inner}": key for inner, key in declared.table.declarations().items()}
        elif margin or name != "margin":
            keys[name] = declared
    return keys


def _value(declared: DeclaredKey | None, text: str, option: str) -> object:
    """Return the value that a tournament file has for this text. Its bounds are checked later."""
    if declared is None or not {bool, int, float} & set(declared.types):
        return text
    if bool in declared.types:
        wanted = "true or false"
        if text in ("true", "false"):
            return text == "true"
    else:
        wanted = str(declared.bounds)
        for read in (int, float):
            with contextlib.suppress(ValueError):
                return read(text)
        if isinstance(declared.bounds, OrUnlimited):
            return text  # a size such as 1G
    raise click.UsageError(f"{option}: this must be {wanted}, not {quoted(text)}")


def engine_options(
    engines: str, *, each: str = "", short: Sequence[str] = SHORT_OPTIONS, margin: bool = True
) -> Callable[[Decorated], Decorated]:
    """Add ``--set`` and the ``short`` options to a command, which takes them as ``settings``.

    ``engines`` says in the help for which ones they are. If there are several, ``each`` is the word for one:
    some options may be given for each. Without ``margin``, the command has a margin of its own.
    """

    def decorate(function: Decorated) -> Decorated:
        @wraps(function)
        def with_settings(*args: Any, **others: Any) -> Any:  # noqa: ANN401 - any command
            several = bool(each)
            given = {key: others.pop(key) for key in short}
            settings = [_read_option(text, several=several) for text in given.pop("options", ())]
            for key, value in given.items():
                texts = value if isinstance(value, tuple) else (value,) if value else ()
                for engine, text in enumerate(texts):
                    settings.append(Setting(engine if len(texts) > 1 else None, (key,), text, f"--{key}"))
            settings += [_read_setting(text, several=several, margin=margin) for text in others.pop("keys")]
            return function(*args, settings=CommandLineSettings(tuple(settings)), **others)

        for option in reversed([*(_short_option(key, engines, each) for key in short), _set_option(each)]):
            with_settings = option(with_settings)
        return with_settings  # type: ignore[return-value]  # it takes other arguments

    return decorate


def _set_option(each: str) -> Callable[[Decorated], Decorated]:
    number = f" With N: before it, only of {each} N." if each else ""
    text = "Set a key of [[engines]] in a tournament file: margin=200, limits.memory=1G; repeatable."
    return click.option(
        "--set",
        "keys",
        type=values.PATH,
        multiple=True,
        metavar="[N:]KEY=VALUE" if each else "KEY=VALUE",
        help=text + number,
    )


def _short_option(key: str, engines: str, each: str) -> Callable[[Decorated], Decorated]:
    """Return the option that sets a key. `EngineSpec` declares the words of some."""
    declared = EngineSpec.declarations()
    once = f" Give it once, or once for each {each}." if each else ""
    if key == "options":
        number = f" With N: before it, only of {each} N." if each else ""
        return click.option(
            "--option",
            key,
            type=values.LINE,
            multiple=True,
            metavar="[N:]NAME=VALUE" if each else "NAME=VALUE",
            help=f"Set an option of {engines}; repeatable.{number}",
        )
    if key == "cwd":
        text = f"The folder of {engines}; {{cwd}} in a command is this folder.{once}"
        return click.option("--cwd", type=values.PATH, multiple=bool(each), metavar="DIR", help=text)
    if key == "dialect":
        text, multiple = f"The protocol of {engines}.{once}", bool(each)
    else:
        text, multiple = f"What {engines} can reach, as in a tournament file.", False
    return click.option(
        f"--{key}",
        type=click.Choice(declared[key].choices),
        multiple=multiple,
        help=f"{text}  [default: {declared[key].default}]",
    )
