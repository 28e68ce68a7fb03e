"""``arena export`` and ``arena import``: games in PGN, and the archive in JSON lines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.address import Address
from arena.cli.common import values
from arena.cli.common.database import find_tournament, open_database, tournament_argument
from arena.cli.common.output import input_name, open_input, open_output, same_command, tell
from arena.cli.common.parameters import database_option, examples, game_option
from arena.cli.program import FAILED
from protocol.words import counted, printable, shortened

if TYPE_CHECKING:
    from arena.records.entries import Entry
    from arena.store import Store

_LONGEST_REASON = 600  # characters of why an entry is refused


@click.command(
    "export",
    epilog=examples(
        "$ arena export spring --output spring.pgn",
        "$ arena export --jsonl | zstd > archive.zst",
        "$ arena export --game quoridor | head -20",
    ),
)
@tournament_argument
@click.option(
    "--output",
    "-o",
    type=values.FILE_OR_STREAM,
    default=Path("-"),
    help="The file to write, or - for standard output.",
)
@click.option("--jsonl", is_flag=True, help="Write the archive in JSON lines instead of PGN.")
@game_option
@database_option
def export(tournament: str | None, output: Path, jsonl: bool, game_id: str | None, database: Address) -> None:
    """Write the games of TOURNAMENT, or all games of the database, as PGN.

    PGN is for people and other programs: it has the players, moves, times and results of every game. JSON
    lines are the archive: `arena import` reads them again without any loss.
    """
    from arena.records.files import write_records

    with open_database(database) as store:
        if tournament is not None:
            find_tournament(store, tournament)
        with open_output(output) as out:
            games = write_records(_entries(store, tournament, game_id), "jsonl" if jsonl else "pgn", out)
    tell(f"exported {counted(games, 'game')}")


def _entries(store: Store, tournament: str | None, game: str | None) -> Iterator[Entry]:
    """Yield the tournaments and rating lists that the games refer to, then the games."""
    from arena.store import GameSearch

    contents = store.contents()
    for entry in contents.tournaments:
        if tournament in {None, entry.name}:
            yield entry
    if tournament is None:
        yield from (entry for entry in contents.rating_lists if game in {None, entry.game})
    yield from store.finder.records(GameSearch(tournament, game), last=contents.last, verify=True)


@click.command(
    "import",
    epilog=examples(
        "$ arena import games.jsonl",
        "$ zstdcat archive.zst | arena import -",
        "$ arena import match.pgn --tournament 'another manager'",
    ),
)
@click.argument("file", type=values.FILE_OR_STREAM)
@click.option(
    "--tournament",
    type=values.NAME,
    help="The tournament of games in PGN. The default is the file's name without its ending.",
)
@database_option
def import_(file: Path, tournament: str | None, database: Address) -> None:
    """Add the games in FILE to a database; - is standard input.

    FILE is from `arena export`, or has games in PGN from another program.

    Every game is replayed by the rules. A bad game is reported and left out, and the exit code is then 1.
    Games that the database already has are skipped.
    """
    from arena.records.files import read_records
    from arena.records.load import RecordLoader
    from arena.store import Store

    name = input_name(file)

    def report(line: int, reason: str) -> None:
        tell(f"{printable(name)}:{line}: {printable(shortened(reason, _LONGEST_REASON))}")

    with open_input(file) as source:
        entries = read_records(name, source, tournament)
        with closing(Store.open(database, create=True)) as store:
            loader = RecordLoader(store, report)
            try:
                loader.load(entries)
            except KeyboardInterrupt:
                added = counted(loader.summary.added, "game")
                tell(f"stopped: {added} added; continue with: {same_command()}")
                raise
    summary = loader.summary
    counts = f"{counted(summary.games, 'game')}: {summary.added} added, {summary.existing} there already"
    click.echo(f"{counts}, {summary.refused} refused")
    if not summary.clean:
        raise click.exceptions.Exit(FAILED)
