"""``arena door remove``: take engines out of the tournament."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.common.parameters import examples
from arena.cli.door.common import file_argument, names_argument, opened_door

__all__ = ["command"]


@click.command("remove", epilog=examples("$ arena door remove league.toml ann"))
@file_argument
@names_argument
def command(file: Path, names: tuple[str, ...]) -> None:
    """Take the engine of each NAME out of the tournament, and end the link. Its games stay."""
    with opened_door(file) as (_, register):
        for name in names:
            register.change(name, state="removed")
