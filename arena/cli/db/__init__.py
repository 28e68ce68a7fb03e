"""``arena db``: check or copy a database, and save what can be read of a damaged one."""

from __future__ import annotations

from typing import Final

import click

from arena.cli import LazyGroup
from arena.cli.common.parameters import examples

__all__ = ["command"]

_COMMANDS: Final = {
    "check": ("arena.cli.db.check", "Check every game of a database."),
    "copy": ("arena.cli.db.copy", "Copy a database between files and servers."),
    "rescue": ("arena.cli.db.rescue", "Save what can be read of a damaged database."),
}


@click.group(
    "db",
    cls=LazyGroup,
    table=_COMMANDS,
    epilog=examples(
        "$ arena db check arena.db",
        "$ arena db copy arena.db postgresql://anna@lab/arena",
        "$ arena db rescue arena.db -o saved.db",
    ),
)
def command() -> None:
    """Check or copy a database, and save what can be read of a damaged one."""
