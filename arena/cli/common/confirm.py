"""Ask before something is replaced."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from arena.errors import ArenaError

__all__ = ["confirm", "is_terminal", "may_replace"]


def confirm(question: str, problem: str) -> None:
    """Ask the user on a terminal whether to go on; without a terminal, nobody can answer.

    Args:
        question: a question that "yes" or "no" answers.
        problem: the start of the error's message.

    Raises:
        click.Abort: the answer is no.
        ArenaError: nobody can answer; the message names ``--force``.
    """
    if not is_terminal():
        raise ArenaError(f"{problem}; choose another name, or replace it with --force")
    click.confirm(question, abort=True, err=True)


def may_replace(path: Path | None, *, force: bool) -> None:
    """Ask whether an existing file may be replaced.

    Args:
        path: the file; None or ``-`` for standard output.
        force: replace it without a question.

    Raises:
        click.Abort: the answer is no.
        ArenaError: nobody can answer.
    """
    if not force and path is not None and path.is_file():
        confirm(f"{path} exists. Replace it?", f"{path} exists")


def is_terminal() -> bool:
    """Return whether a person can answer a question."""
    return sys.stdin.isatty()
