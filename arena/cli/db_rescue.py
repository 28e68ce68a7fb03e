"""``arena db rescue``: save what can be read of a damaged database."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.common.parameters import examples
from protocol.plurals import counted
from protocol.printable import printable

__all__ = ["INCOMPLETE", "command"]

INCOMPLETE = 1
"""Exit code of a rescue that could not save everything."""


@click.command("rescue", epilog=examples("$ arena db rescue arena.db -o saved.db"))
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@click.option(
    "--output",
    "-o",
    "target",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    metavar="NEW",
    help="The new database; there must be no such file.",
)
def command(file: Path, target: Path) -> None:
    """Save all games of the database FILE that can be read in a new database.

    FILE is not changed. What cannot be saved is listed, and the exit code is then 1. `arena run` plays lost
    games again. The games get new numbers, in the same order.
    """
    from arena.records.rescue import rescue

    def report(sentence: str) -> None:
        click.echo(f"{file}: {printable(sentence)}", err=True)

    result = rescue(file, target, report)
    total = result.saved + result.without_moves + result.lost
    results = f", and only the results of {result.without_moves}" if result.without_moves else ""
    click.echo(f"{target}: saved {result.saved} of {counted(total, 'game')}{results}")
    if not result.complete:
        raise click.exceptions.Exit(INCOMPLETE)
