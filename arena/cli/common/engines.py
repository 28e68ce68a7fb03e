"""Read engine commands from the command line, warn about them, and show the dialogue with an engine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from protocol.printable import printable
from protocol.process.program import split_command

if TYPE_CHECKING:
    from protocol.spec import EngineSpec

__all__ = ["echo_line", "read_command", "read_words", "warn_of_engine", "warn_of_root"]


def read_command(text: str, option: str) -> tuple[str, ...]:
    """Split a command into program and arguments by the quoting rules of a shell, without running a shell.

    Args:
        text: the text that the user gave.
        option: the option that the text belongs to, for the error message.

    Raises:
        click.UsageError: the text is empty, or a quotation mark is not closed.
    """
    try:
        words = split_command(text)
    except ValueError as error:
        raise click.UsageError(f"{option} {text!r} can't be split into words: {error}") from None
    if not words:
        raise click.UsageError(f"{option} must name an engine's command")
    return tuple(words)


def read_words(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the engine command that follows ``--``: separate words, or a single text to split.

    Raises:
        click.UsageError: nothing follows ``--``.
    """
    if not words:
        raise click.UsageError("name the engine's command after --, as in: -- python3 mine.py")
    return read_command(words[0], "the command") if len(words) == 1 else words


def echo_line(seat: int, seconds: float, direction: str, text: str) -> None:
    """Print one line of the dialogue with the engine on ``seat`` (from 0) to standard error.

    Args:
        seat: the seat, from 0.
        seconds: the time since the dialogue started.
        direction: ``>`` for a line to the engine, ``<`` for its output, ``!`` for its standard error.
        text: the line.
    """
    click.echo(f"{seconds:9.4f} {seat + 1} {direction} {printable(text)}", err=True)


def warn_of_engine(name: str, text: str) -> None:
    """Print a warning about the engine of this name."""
    click.echo(f"warning: {name}: {text}", err=True)


def warn_of_root(specs: Iterable[EngineSpec]) -> None:
    """Print one warning if engines will run with the rights of root. Call this once, before they start."""
    from protocol.process.sandbox import ROOT_WARNING, runs_as_root

    if any(map(runs_as_root, specs)):
        click.echo(f"warning: {ROOT_WARNING}", err=True)
