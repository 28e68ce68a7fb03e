"""``arena db check``: check every game of a database."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from arena.cli.common.parameters import examples
from protocol.plurals import counted
from protocol.printable import printable

__all__ = ["DAMAGED", "command"]

DAMAGED = 1
"""Exit code of a check that found damage."""

_MOST = 20
"""The most damaged games that are listed one by one."""


@click.command("check", epilog=examples("$ arena db check arena.db"))
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
def command(file: Path) -> None:
    """Check the pages of the database FILE, and the checksum of every game.

    The file is not changed. The exit code is 1 if something is damaged.
    """
    from arena.store.health import check_database

    health = check_database(file)
    for problem in health.problems:
        click.echo(f"{file}: {printable(problem)}")
    for number, reason in list(health.lost.items())[:_MOST]:
        click.echo(f"{file}: game {number}: {printable(reason)}")
    if len(health.lost) > _MOST:
        click.echo(f"{file}: {len(health.lost) - _MOST} more games are damaged")
    games = counted(health.games, "game")
    if not health.sound:
        click.echo(
            f"{file}: is damaged: {games} can be read whole, {len(health.lost)} cannot;"
            f" save what can be read with: arena db rescue {shlex.quote(str(file))} -o NEW.db"
        )
        raise click.exceptions.Exit(DAMAGED)
    checked = "every checksum is right" if health.verified else "an older arena wrote it, without checksums"
    click.echo(f"{file}: no damage: {games}, {checked}")
