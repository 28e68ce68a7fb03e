"""A line on the terminal that shows how far a command has come."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Final, Self

import click

__all__ = ["ProgressLine"]

_ERASE: Final = "\033[K"
"""Erases from the cursor to the end of the line."""


class ProgressLine:
    """One line on standard error that is replaced again and again, and erased at the end of the block.

    Nothing is printed if standard error is not a terminal.
    """

    def __init__(self) -> None:
        self._shown = False

    def show(self, text: str) -> None:
        """Replace the line."""
        if sys.stderr.isatty():
            click.echo(f"\r{text} {_ERASE}", err=True, nl=False)
            self._shown = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            click.echo(f"\r{_ERASE}", err=True, nl=False)
