"""``arena db``: check or copy a database, and save what can be read of a damaged one."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.address import Address
from arena.cli import Group
from arena.cli.common import values
from arena.cli.common.database import database_argument, open_database
from arena.cli.common.output import print_json, progress_line, same_command, tell
from arena.cli.common.parameters import examples, json_option
from arena.cli.program import FAILED
from arena.errors import StoreError
from protocol.words import counted, printable

if TYPE_CHECKING:
    from arena.store.damage import Health


@click.group(
    "db",
    cls=Group,
    epilog=examples(
        "$ arena db check",
        "$ arena db copy arena.db postgresql://anna@lab/arena",
        "$ arena db copy --damaged arena.db saved.db",
    ),
)
def command() -> None:
    """Check or copy a database, and save what can be read of a damaged one."""


@command.command(
    "check",
    short_help="Check every game of a database.",
    epilog=examples("$ arena db check", "$ arena db check league.db --json"),
)
@database_argument
@json_option
def check(database: Address, as_json: bool) -> None:
    """Check the pages of the database, and the checksum of every game.

    A server itself checks its pages. Nothing is changed. The exit code is 1 if something is damaged.
    """
    from arena.store.damage import check_database

    health = check_database(database)
    if as_json:
        print_json(
            {
                "sound": health.sound,
                "games": health.games,
                "damaged": [{"game": number, "reason": why} for number, why in health.damaged.items()],
                "problems": health.problems,
            }
        )
    else:
        _show_health(database, health)
    if not health.sound:
        raise click.exceptions.Exit(FAILED)


def _show_health(file: Address, health: Health) -> None:
    for problem in health.problems:
        click.echo(f"{file}: {printable(problem)}")
    for those, reason in _grouped(health.damaged):
        click.echo(f"{file}: {those} {printable(reason)}")
    games = counted(health.games, "game")
    if health.sound:
        click.echo(f"{file}: no damage: {games}, every checksum is right")
    else:
        remedy = (
            f"save what can be read with: arena db copy --damaged {shlex.quote(str(file))} NEW.db"
            if isinstance(file, Path)
            else "restore it from a backup of the server"
        )
        click.echo(f"{file}: is damaged: {games} can be read whole, {len(health.damaged)} cannot; {remedy}")


@command.command(
    "copy",
    short_help="Copy a database between files and servers.",
    epilog=examples(
        "$ arena db copy arena.db postgresql://anna@lab/arena",
        "$ arena db copy postgresql://anna@lab/arena arena.db",
        "$ arena db copy --damaged arena.db saved.db",
    ),
)
@click.argument("source", type=values.DATABASE, metavar="FROM")
@click.argument("target", type=values.DATABASE, metavar="TO")
@click.option(
    "--damaged", is_flag=True, help="FROM is damaged: save what can be read of it in a new file TO."
)
def copy(source: Address, target: Address, damaged: bool) -> None:
    """Copy all tournaments, games, settings of rating lists and doors from one database to another.

    FROM and TO are files or postgresql://USER@HOST/NAME. Games keep their numbers. At the end, every game of
    the copy is compared with the original. Run the same command again to continue after an interruption, or
    to copy the games that have been played since.

    With --damaged, FROM and TO are files, and there must be no file TO. What cannot be saved is listed, and
    the exit code is then 1. `arena run` plays lost games again.
    """
    if damaged:
        _rescue(source, target)
        return
    from arena.store import Store
    from arena.store.copying import copy_database

    with (
        open_database(source) as original,
        closing(Store.open(target, create=True)) as new,
        progress_line() as show_line,
    ):
        try:
            summary = copy_database(
                original, new, lambda word, count: show_line(f"{word} {counted(count, 'game')}")
            )
        except KeyboardInterrupt:
            tell(f"stopped; continue with: {same_command()}")
            raise
    click.echo(
        f"{target}: copied {counted(summary.copied, 'game')}, {summary.existing} there already;"
        " all are as in the original"
    )


def _rescue(source: Address, target: Address) -> None:
    """Copy what can be read of a damaged file into a new one, and print what is lost."""
    from arena.store import damage

    file = _file(source)
    result = damage.rescue(file, _file(target))
    for problem in result.problems:
        tell(f"{file}: {printable(problem)}")
    for games, reason in _grouped(result.damaged):
        tell(f"{file}: {games} not saved: {printable(reason)}")
    total = result.games + len(result.damaged)
    click.echo(f"{target}: saved {result.games} of {counted(total, 'game')}")
    if not result.sound:
        raise click.exceptions.Exit(FAILED)


def _grouped(reasons: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    """Yield the numbers of neighbouring games with the same reason as one text, and the reason."""
    # The difference is the same for neighbours.
    places = enumerate(sorted(reasons.items()))
    for (_, reason), group in groupby(places, key=lambda place: (place[1][0] - place[0], place[1][1])):
        numbers = [number for _, (number, _) in group]
        yield f"games {numbers[0]} to {numbers[-1]}:" if len(numbers) > 1 else f"game {numbers[0]}:", reason


def _file(address: Address) -> Path:
    """Return the file of a database. StoreError: it is on a server."""
    if isinstance(address, Path):
        return address
    raise StoreError(
        f"{address}: --damaged needs the file of a database; a server repairs its own files, and"
        f" `arena db copy {address} NEW.db` makes a file of this database"
    )
