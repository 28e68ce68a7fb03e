"""``arena door pause``: let engines rest."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.common.parameters import examples
from arena.cli.door.common import file_argument, names_argument, opened_door

__all__ = ["command"]


@click.command(
    "pause", epilog=examples("$ arena door pause league.toml ann", "$ arena door pause league.toml ann --end")
)
@file_argument
@names_argument
@click.option("--end", is_flag=True, help="End the pause.")
def command(file: Path, names: tuple[str, ...], end: bool) -> None:
    """Let the engine of each NAME rest. Its games count, and it starts no new one."""
    with opened_door(file) as (_, register):
        for name in names:
            register.change(name, state="open" if end else "paused")
