"""``arena db rescue``: save what can be read of a damaged database."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
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
    from arena.records.rescue import Rescue

__all__ = ["command"]

INCOMPLETE = 1
"""Exit code of a rescue that could not save everything."""


@click.command("rescue", epilog=examples("$ arena db rescue arena.db -o saved.db"))
@click.argument("file", type=values.DATABASE, metavar="FILE")
@click.option(
    "--output",
    "-o",
    "target",
    type=values.DATABASE,
    required=True,
    metavar="NEW",
    help="The new database; there must be no such file.",
)
@json_option
def command(file: Address, target: Address, as_json: bool) -> None:
    """Make a new database of all games of the database FILE that can be read.

    FILE is not changed. What cannot be saved is listed, and the exit code is then 1. `arena run` plays lost
    games again. The games get new numbers, in the same order.
    """
    from arena.records.rescue import rescue
    from arena.store.opening import file_of

    path = file_of(file, "rescue")
    result = rescue(path, file_of(target, "rescue"))
    if as_json:
        print_json(
            {
                "complete": result.complete,
                "saved": result.saved,
                "lost": games_as_data(result.lost),
                "without_moves": games_as_data(result.without_moves),
                "repaired": games_as_data(result.repaired),
                "problems": result.problems,
            }
        )
    else:
        _show(path, target, result)
    if not result.complete:
        raise click.exceptions.Exit(INCOMPLETE)


def _show(file: Path, target: Address, result: Rescue) -> None:
    """Print what is lost to standard error, and how much is saved to standard output."""
    for problem in result.problems:
        click.echo(f"{file}: {printable(problem)}", err=True)
    fates = (
        (result.lost, "not saved"),
        (result.without_moves, "saved without moves"),
        (result.repaired, "repaired"),
    )
    for reasons, fate in fates:
        for games, reason in _grouped(reasons):
            click.echo(f"{file}: {games} {fate}: {printable(reason)}", err=True)
    total = result.saved + len(result.without_moves) + len(result.lost)
    results = f", and only the results of {len(result.without_moves)}" if result.without_moves else ""
    click.echo(f"{target}: saved {result.saved} of {counted(total, 'game')}{results}")


def _grouped(reasons: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    """Yield the numbers of neighbouring games with the same reason as one text, and the reason."""
    # The difference is the same for neighbours.
    places = enumerate(sorted(reasons.items()))
    for (_, reason), group in groupby(places, key=lambda place: (place[1][0] - place[0], place[1][1])):
        numbers = [number for _, (number, _) in group]
        yield f"games {numbers[0]} to {numbers[-1]}:" if len(numbers) > 1 else f"game {numbers[0]}:", reason
