"""``arena import``: add games from a text to a database."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import BinaryIO

import click

from arena.address import Address
from arena.cli.common import values
from arena.cli.common.parameters import database_option, examples
from arena.errors import ArenaError
from protocol.words import counted, printable


@click.command(
    "import",
    epilog=examples(
        "$ arena import games.txt",
        "$ zstdcat games.zst | arena import -",
        "$ arena import match.pgn --tournament 'another manager'",
    ),
)
@click.argument("file", type=values.FilePath(dash=True))
@click.option(
    "--tournament",
    type=values.NAME,
    metavar="NAME",
    help="The tournament of games in PGN. The default is the file's name without its ending.",
)
@database_option
@click.pass_context
def command(context: click.Context, file: Path, tournament: str | None, database: Address) -> None:
    """Add the games in FILE to a database; - is standard input.

    FILE is a text from `arena export`, or games of chess in PGN from another program.

    Every game is replayed by the rules. A bad game is reported and left out, and the exit code is then 1.
    Games that the database already has are skipped.
    """
    from arena.records.files import read_records
    from arena.records.load import RecordLoader
    from arena.store import Store

    name = "standard input" if str(file) == "-" else str(file)

    def report(line: int, reason: str) -> None:
        click.echo(f"{printable(name)}:{line}: {printable(reason)}", err=True)

    with _open(file, name) as source:
        entries = read_records(name, source, tournament)
        with closing(Store.open(database, create=True)) as store:
            loader = RecordLoader(store, report)
            try:
                loader.load(entries)
            except KeyboardInterrupt:
                added = counted(loader.summary.added, "game")
                click.echo(f"stopped: {added} added; run the same command again to continue", err=True)
                raise
    summary = loader.summary
    counts = f"{counted(summary.games, 'game')}: {summary.added} added, {summary.existing} there already"
    click.echo(f"{counts}, {summary.refused} refused")
    if not summary.clean:
        context.exit(1)


def _open(file: Path, name: str) -> BinaryIO:
    if str(file) == "-":
        return sys.stdin.buffer
    try:
        return file.open("rb")
    except OSError as error:
        raise ArenaError(f"{name}: cannot be read: {error.strerror}") from error
