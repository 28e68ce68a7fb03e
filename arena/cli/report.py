"""``arena report``: write a tournament as a folder of web pages."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from arena.cli.common import values
from arena.cli.common.database import find_tournament, open_database, tournament_argument
from arena.cli.common.parameters import database_option, examples, game_option
from protocol.plurals import counted

__all__ = ["command"]

_PROGRESS_STEP = 100
"""The number of games after which the progress is printed again."""


@click.command(
    "report",
    epilog=examples("$ arena report -o site", "$ arena report spring --db league.db -o public/spring"),
)
@tournament_argument
@click.option(
    "--output",
    "-o",
    "target",
    type=values.FolderPath(),
    required=True,
    metavar="DIR",
    help="The folder to write: a new or empty one, or an earlier report to replace.",
)
@game_option
@click.option(
    "--replay",
    "last_games",
    type=values.LARGEST_COUNT,
    metavar="N",
    help="Write pages only for the last N games of each game id.  [default: all]",
)
@database_option
def command(
    tournament: str | None, target: Path, game_id: str | None, last_games: int | None, database: Path
) -> None:
    """Write TOURNAMENT, or the newest one of the database, as web pages that need no server or network.

    The report has tables and plots for each game id. Each game has a page on which you can replay it.
    """
    from arena.web.site import write_site

    with open_database(database) as store:
        name = find_tournament(store, tournament)
        index = write_site(store, name, target, game_id, last_games, _show_progress)
    if sys.stderr.isatty():
        click.echo("\r\x1b[K", err=True, nl=False)
    click.echo(index)


def _show_progress(count: int) -> None:
    if count % _PROGRESS_STEP == 0 and sys.stderr.isatty():
        click.echo(f"\r{counted(count, 'game')}", err=True, nl=False)
