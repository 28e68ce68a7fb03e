"""``arena db check``: check every game of a database."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.address import Address
from arena.cli.common import values
from arena.cli.common.output import print_json
from arena.cli.common.parameters import examples, json_option
from arena.cli.db.games_as_data import games_as_data
from protocol.plurals import counted
from protocol.printable import printable

if TYPE_CHECKING:
    from arena.store.values import Health

__all__ = ["command"]

DAMAGED = 1
"""Exit code of a check that found damage."""

_MOST = 20
"""The largest number of damaged games that are listed one by one."""


@click.command("check", epilog=examples("$ arena db check arena.db", "$ arena db check arena.db --json"))
@click.argument("file", type=values.DATABASE, metavar="FILE")
@json_option
def command(file: Address, as_json: bool) -> None:
    """Check the pages of the database FILE, and the checksum of every game.

    FILE may be postgresql://USER@HOST/NAME; the server itself checks its pages. Nothing is changed. The exit
    code is 1 if something is damaged.
    """
    from arena.store.opening import check_database

    health = check_database(file)
    if as_json:
        print_json(
            {
                "sound": health.sound,
                "games": health.games,
                "damaged": games_as_data(health.damaged),
                "problems": health.problems,
                "verified": health.verified,
            }
        )
    else:
        _show(file, health)
    if not health.sound:
        raise click.exceptions.Exit(DAMAGED)


def _show(file: Address, health: Health) -> None:
    for problem in health.problems:
        click.echo(f"{file}: {printable(problem)}")
    for number, reason in list(health.damaged.items())[:_MOST]:
        click.echo(f"{file}: game {number}: {printable(reason)}")
    if len(health.damaged) > _MOST:
        click.echo(f"{file}: {len(health.damaged) - _MOST} more games are damaged")
    games = counted(health.games, "game")
    if health.sound:
        click.echo(
            f"{file}: no damage: {games}, every checksum is right"
            if health.verified
            else f"{file}: {games} can be read; an older arena wrote them, without checksums"
        )
    else:
        remedy = (
            f"save what can be read with: arena db rescue {shlex.quote(str(file))} -o NEW.db"
            if isinstance(file, Path)
            else "restore it from a backup of the server"
        )
        click.echo(f"{file}: is damaged: {games} can be read whole, {len(health.damaged)} cannot; {remedy}")
