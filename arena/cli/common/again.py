"""Commands that arena advises, quoted for the shell: above all the one that goes on after an interruption."""

from __future__ import annotations

import shlex

import click

from arena.cli.common.output import own_name, short_path


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
