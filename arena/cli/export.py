"""``arena export``: write games as text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.address import Address
from arena.cli.common import values
from arena.cli.common.database import find_tournament, open_database, tournament_argument
from arena.cli.common.output import open_output
from arena.cli.common.parameters import database_option, examples, game_option
from protocol.words import counted

if TYPE_CHECKING:
    from arena.model import GameRecord
    from arena.records.entries import Entry
    from arena.store import Store

__all__ = ["command"]


@click.command(
    "export",
    epilog=examples(
        "$ arena export --output games.txt",
        "$ arena export spring --format jsonl | head -2",
        "$ arena export --game quoridor | zstd > quoridor.zst",
        "$ arena export match --format pgn -o match.pgn",
    ),
)
@tournament_argument
@click.option(
    "--output",
    "-o",
    type=values.FilePath(dash=True),
    default=Path("-"),
    metavar="FILE",
    help="The file to write. The default, -, is standard output.",
)
@click.option(
    "--format",
    "format_name",
    type=click.Choice(["text", "jsonl", "pgn"]),
    default="text",
    show_default=True,
    help="Write tags and moves, JSON lines, or games of chess in PGN.",
)
@game_option
@database_option
def command(
    tournament: str | None, output: Path, format_name: str, game_id: str | None, database: Address
) -> None:
    """Write the games of TOURNAMENT, or all games of the database, as text.

    `arena import` reads the text again without any loss. PGN is for other programs: it has only games of
    chess, and not everything about them.
    """
    from arena.records.files import write_records
    from arena.records.pgn import write_pgn

    with open_database(database) as store:
        if tournament is not None:
            find_tournament(store, tournament)
        others = 0
        with open_output(output) as out:
            if format_name == "pgn":
                games, others = write_pgn(_games(store, tournament, game_id), out)
            else:
                games = write_records(_entries(store, tournament, game_id), format_name, out)
    left_out = f"; {counted(others, 'game')} left out: not chess" if others else ""
    click.echo(f"exported {counted(games, 'game')}{left_out}", err=True)


def _games(store: Store, tournament: str | None, game: str | None) -> Iterator[GameRecord]:
    last = store.archive.contents().last
    return store.archive.games(last, tournament=tournament, game=game, verify=True)


def _entries(store: Store, tournament: str | None, game: str | None) -> Iterator[Entry]:
    """Yield the tournaments and rating lists that the games refer to, then the games."""
    contents = store.archive.contents()
    for entry in contents.tournaments:
        if tournament in {None, entry.name}:
            yield entry
    if tournament is None:
        yield from (entry for entry in contents.rating_lists if game in {None, entry.game})
    yield from _games(store, tournament, game)
