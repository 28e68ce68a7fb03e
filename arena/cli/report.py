"""``arena report``: a tournament as a folder of web pages."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from arena.cli.common.database import find_tournament, opened, tournament_argument
from arena.cli.common.parameters import database_option, examples, game_option
from protocol.plurals import counted

__all__ = ["command"]

_STEP = 100  # games from one line of progress to the next


@click.command(
    "report",
    epilog=examples("$ arena report -o site", "$ arena report spring --db league.db -o public/spring"),
)
@tournament_argument
@click.option(
    "--output",
    "-o",
    "target",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    metavar="DIR",
    help="The folder: a new or empty one, or an earlier report, which is replaced.",
)
@game_option
@click.option(
    "--replay",
    "replayed",
    type=click.IntRange(min=0),
    metavar="N",
    help="Only the last N games of each id have a page; all, unless told.",
)
@database_option
def command(
    tournament: str | None, target: Path, game_id: str | None, replayed: int | None, database: Path
) -> None:
    """Write TOURNAMENT, or the one that was begun last, as web pages that need no server and no network.

    There are the tables and plots of each game id, and a page for each game, where it can be replayed.
    """
    from arena.web.site import write_site

    with opened(database) as store:
        name = find_tournament(store, tournament)
        index = write_site(store, name, target, game_id, replayed, _progress)
    if sys.stderr.isatty():
        click.echo("\r\x1b[K", err=True, nl=False)
    click.echo(index)


def _progress(count: int) -> None:
    if count % _STEP == 0 and sys.stderr.isatty():
        click.echo(f"\r{counted(count, 'game')}", err=True, nl=False)
