"""The commands of ``arena``, with the commands of its groups."""

from __future__ import annotations

from typing import Final

import click

from arena.cli import main

__all__ = ["COMMANDS", "GROUPS"]


def _found(group: click.Group, *words: str) -> dict[str, click.Command]:
    """Return the group and everything in it, by the words that call it."""
    found: dict[str, click.Command] = {" ".join(words): group}
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None, name
        if isinstance(command, click.Group):
            found |= _found(command, *words, name)
        else:
            found[" ".join((*words, name))] = command
    return found


_ALL = _found(main)
COMMANDS: Final = {words: found for words, found in _ALL.items() if not isinstance(found, click.Group)}
"""The commands that do something, by the words that call them: ``show``, ``db check``."""

GROUPS: Final = {words: found for words, found in _ALL.items() if isinstance(found, click.Group)}
"""The groups, also ``arena`` itself with no word."""
