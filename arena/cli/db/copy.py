"""``arena db copy``: copy a database between files and servers."""

from __future__ import annotations

from contextlib import closing

import click

from arena.address import Address
from arena.cli.common import values
from arena.cli.common.database import open_database
from arena.cli.common.output import ProgressLine, print_json
from arena.cli.common.parameters import examples, json_option
from protocol.plurals import counted

__all__ = ["command"]


@click.command(
    "copy",
    epilog=examples(
        "$ arena db copy arena.db postgresql://anna@lab/arena",
        "$ arena db copy postgresql://anna@lab/arena arena.db",
    ),
)
@click.argument("source", type=values.DATABASE, metavar="FROM")
@click.argument("target", type=values.DATABASE, metavar="TO")
@json_option
def command(source: Address, target: Address, as_json: bool) -> None:
    """Copy all tournaments, games, settings of rating lists and doors from one database to another.

    FROM and TO are files or postgresql://USER@HOST/NAME. Games keep their numbers. At the end, every game of
    the copy is compared with the original. Run the same command again to continue after an interruption, or
    to copy the games that have been played since.
    """
    from arena.store import Store
    from arena.store.copying import copy_database

    with (
        open_database(source) as original,
        closing(Store.open(target, create=True)) as copy,
        ProgressLine() as line,
    ):
        try:
            summary = copy_database(
                original, copy, lambda word, count: line.show(f"{word} {counted(count, 'game')}")
            )
        except KeyboardInterrupt:
            click.echo("stopped; run the same command again to continue", err=True)
            raise
    if as_json:
        print_json(summary)
    else:
        click.echo(
            f"{target}: copied {counted(summary.copied, 'game')}, {summary.existing} there already;"
            " all are as in the original"
        )
