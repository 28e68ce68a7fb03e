"""Engines on the command line: their commands, their sandbox and limits, warnings, and dialogues with them.

The options ``--sandbox``, ``--cwd``, ``--readable`` and ``--limit`` are the keys of the same names in a
tournament file, and `arena.config` reads their values.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

import click

from arena import samples
from arena.cli.common import values
from arena.cli.common.output import tell
from arena.cli.common.parameters import Decorated
from protocol.process.program import CWD, PYTHON, split_command
from protocol.spec import EngineSpec, Sandbox
from protocol.words import printable

if TYPE_CHECKING:
    from arena.config.tournament_keys import EngineTable


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
        options = {parameter.name for parameter in click.get_current_context().command.params}
        remedy = (
            "add `--sandbox bwrap` to the command"
            if "sandbox" in options
            else 'write `sandbox = "bwrap"` below [defaults] in a tournament file'
        )
        tell(
            "warning: arena runs as root and starts engines without bubblewrap: they can read, change and"
            f" delete everything on this machine; {remedy}, or run arena as another user"
        )


# --- --sandbox, --cwd, --readable and --limit -------------------------------------------------------------

_NONE: Final = EngineSpec("engine", ("program",)).sandbox
_OPTIONS: Final = {"cwd": "--cwd", "readable": "--readable", "limits": "--limit"}


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """The values of the four options."""

    sandbox: Sandbox
    folders: tuple[str, ...]  # of --cwd: one for every engine, or one for each
    readable: tuple[str, ...]  # files and folders that the engines may also read
    limits: tuple[str, ...]  # texts like memory=1G

    def apply(self, spec: EngineSpec, number: int = 0) -> EngineSpec:
        """Return the engine with these settings, as if a tournament file in the current folder had them.

        ``{python}`` and ``{cwd}`` in its command are replaced. It has this number, from 0, if each has a
        ``--cwd`` of its own. EngineStartError: a file is missing, or this machine or the sandbox does not let
        the engine start.
        """
        from protocol.process import sandbox

        spec = self._applied(spec, number)
        sandbox.check(spec)
        return spec

    def _applied(self, spec: EngineSpec, number: int) -> EngineSpec:
        from dataclasses import replace

        plain = (self.sandbox, self.folders, self.readable, self.limits) == (_NONE, (), (), ())
        if plain and not any(CWD in word for word in spec.command):
            try:
                program, *arguments = samples.expanded(spec.command)
            except ValueError as error:
                raise click.UsageError(f"{spec.name}: {error}") from None
            return replace(spec, command=(sys.executable if program == PYTHON else program, *arguments))
        from arena.config.engines import engine_spec

        try:
            made = engine_spec(self._table(spec, number), Path.cwd())
        except ValueError as error:
            raise click.UsageError(f"{spec.name}: {error}") from None
        return replace(
            spec,
            command=made.command,
            cwd=made.cwd,
            sandbox=made.sandbox,
            readable=made.readable,
            limits=made.limits,
        )

    def _table(self, spec: EngineSpec, number: int) -> EngineTable:
        """Return the settings as the keys of a tournament file."""
        from arena.config.validation import read_engine
        from protocol.keys import WrongKey

        table = {
            "name": spec.name,
            "command": list(spec.command),
            "sandbox": self.sandbox,
            "readable": list(self.readable),
            "limits": dict(map(_limit, self.limits)),
        }
        if self.folders:
            table["cwd"] = self.folders[number if len(self.folders) > 1 else 0]
        try:
            return read_engine(table, Path.cwd())
        except WrongKey as wrong:
            option = " ".join((_OPTIONS.get(wrong.names[0], wrong.names[0]), *wrong.names[1:]))
            raise click.UsageError(f"{option}: {wrong}") from None


def _limit(text: str) -> tuple[str, int | str]:
    """Return the key and the value of a limit."""
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not name or not value:
        raise click.UsageError(f"--limit {text!r} is not of the form NAME=VALUE, as in memory=1G")
    return name, int(value) if value.isdecimal() and len(value) < 20 else value


def sandbox_options(engines: str, *, several: bool = False) -> Callable[[Decorated], Decorated]:
    """Add the options to a command, which takes them as ``settings``.

    ``engines`` says in the help for which ones they are; if there are several, ``--cwd`` may be given for
    each.
    """
    again = " Give it once, or once for each seat." if several else ""
    options = (
        click.option(
            "--sandbox",
            type=click.Choice(get_args(Sandbox)),
            default=_NONE,
            show_default=True,
            help=f"What {engines} can reach, as in a tournament file.",
        ),
        click.option(
            "--cwd",
            "folders",
            multiple=several,
            type=values.PATH,
            metavar="DIR",
            help=f"The folder of {engines}; {{cwd}} in a command stands for it.{again}",
        ),
        click.option(
            "--readable",
            multiple=True,
            type=values.PATH,
            metavar="PATH",
            help="A file or folder that may also be read in the sandbox `bwrap`; repeatable.",
        ),
        click.option(
            "--limit",
            "limits",
            multiple=True,
            type=values.LINE,
            metavar="NAME=VALUE",
            help="A limit, as in a tournament file: memory=1G, processes=64; repeatable.",
        ),
    )

    def decorate(function: Decorated) -> Decorated:
        @wraps(function)
        def with_settings(
            *args: Any,  # noqa: ANN401 - any command
            sandbox: Sandbox,
            folders: str | tuple[str, ...] | None,
            readable: tuple[str, ...],
            limits: tuple[str, ...],
            **others: Any,  # noqa: ANN401 - any command
        ) -> Any:  # noqa: ANN401 - any command
            chosen = (folders,) if isinstance(folders, str) else folders or ()
            return function(*args, settings=EngineSettings(sandbox, chosen, readable, limits), **others)

        for option in reversed(options):
            with_settings = option(with_settings)
        return with_settings  # type: ignore[return-value]  # it takes other arguments

    return decorate
