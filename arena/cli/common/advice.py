"""Commands that arena advises, quoted for the shell: above all the one that goes on after an interruption."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

import click


def arena_command(*words: str) -> str:
    """Return a command with these words after ``arena``, which the user can type in the current folder."""
    return shlex.join([short_path(own_name()), *words])


def same_command(*, name: str | None = None) -> str:
    """Return the command that the user has typed; ``name`` is the tournament's, whatever it had before."""
    words: list[str] = list(click.get_current_context().find_root().obj or ())
    if name is not None:
        end = words.index("--") if "--" in words else len(words)
        words = [*_without_name(words[:end]), "--name", name, *words[end:]]
    return arena_command(*words)


def _without_name(words: list[str]) -> list[str]:
    """Leave out the option ``--name`` with its value."""
    return [
        word
        for before, word in zip(["", *words], words, strict=False)
        if "--name" not in (before, word) and not word.startswith("--name=")
    ]


def own_name() -> str:
    """Return the word that starts this arena in the user's shell: ``arena``, or the path of the program.

    ``uvx`` puts the folder of the program on ``PATH`` only for the program itself. So ``arena`` on ``PATH``
    is not enough: its environment must be activated, or the program must be outside of an environment, as a
    link of pipx is.
    """
    called = Path(sys.argv[0]).absolute()
    program = called if called.name == "arena" else Path(sys.executable).with_name("arena")
    if not program.is_file():
        return "arena"
    on_path = shutil.which("arena")
    outside = sys.prefix == sys.base_prefix or program.parent != Path(sys.prefix, "bin")
    if on_path is None or Path(on_path).absolute() != program:
        return str(program)
    return "arena" if outside or os.environ.get("VIRTUAL_ENV") == sys.prefix else str(program)


def short_path(path: str) -> str:
    """Convert a path below the current folder to a relative path; return any other text unchanged."""
    relative = os.path.relpath(path)
    return relative if Path(path).is_absolute() and not relative.startswith("..") else path
