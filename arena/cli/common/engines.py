"""Engines on the command line: how their commands are read, and their dialogue shown."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence

import click

from protocol.printable import printable
from protocol.process.program import PYTHON

__all__ = ["echo_line", "read_command", "read_words"]


def read_command(text: str, option: str) -> tuple[str, ...]:
    """Split a command into program and arguments, as a shell would; no shell is run.

    A first word ``{python}`` is the interpreter that runs arena, as in a tournament file.

    Args:
        text: what the user wrote.
        option: where, for the message.

    Raises:
        click.UsageError: it is empty, or a quotation is not closed.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise click.UsageError(f"{option} {text!r} can't be split into words: {error}") from None
    if not words:
        raise click.UsageError(f"{option} must name an engine's command")
    return _program(words)


def read_words(words: tuple[str, ...]) -> tuple[str, ...]:
    """The command that stands behind ``--``: its words, or one text with all of them.

    Raises:
        click.UsageError: there is none.
    """
    if not words:
        raise click.UsageError("name the engine's command after --, as in: -- python3 mine.py")
    return read_command(words[0], "the command") if len(words) == 1 else _program(words)


def _program(words: Sequence[str]) -> tuple[str, ...]:
    return (sys.executable if words[0] == PYTHON else words[0], *words[1:])


def echo_line(seat: int, seconds: float, direction: str, text: str) -> None:
    """Show a line of the dialogue with the engine on ``seat`` (0-based) on standard error."""
    click.echo(f"{seconds:9.4f} {seat + 1} {direction} {printable(text)}", err=True)
