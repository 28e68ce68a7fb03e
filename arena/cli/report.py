"""``arena report``: write a tournament as a folder of web pages."""

from __future__ import annotations

from pathlib import Path

import click

from arena.address import Address
from arena.cli.common import values
from arena.cli.common.database import find_tournament, open_database, tournament_or_all
from arena.cli.common.output import confirm, progress_line
from arena.cli.common.parameters import database_option, examples, force_option, game_option
from protocol.words import counted

_PROGRESS_STEP = 100
"""The number of games after which the progress is printed again."""


@click.command(
    "report",
    epilog=examples(
        "$ arena report",
        "$ arena report spring --db league.db -o public/spring",
    ),
)
@tournament_or_all
@click.option(
    "--output",
    "-o",
    "target",
    type=values.FOLDER,
    metavar="DIR",
    help="The folder to write: a new or empty one, or an earlier report.  [default: report-TOURNAMENT]",
)
@game_option
@click.option(
    "--replay",
    "last_games",
    type=values.LARGEST_COUNT,
    metavar="N",
    help="Write pages only for the last N games of each game id.  [default: all]",
)
@force_option
@database_option
def command(
    tournament: str | None,
    all_tournaments: bool,
    target: Path | None,
    game_id: str | None,
    last_games: int | None,
    force: bool,
    database: Address,
) -> None:
    """Write TOURNAMENT, or the newest one of the database, as web pages that need no server or network.

    The report has tables and plots for each game id. Each game has a page on which you can replay it.
    With --all, the first page links to a report of each tournament.
    """
    from arena.tables.text_table import heading
    from arena.web.report import plain_name, subject_of, write_report

    with open_database(database) as store:
        name = None if all_tournaments else find_tournament(store, tournament)
        target = target or Path(f"report-{'all' if name is None else plain_name(name)}")
        earlier = subject_of(target)
        if not force and earlier not in ("", heading(name)):
            confirm(f"{target}: replace the report of {earlier}?", f"{target}: it is the report of {earlier}")
        with progress_line() as show_line:

            def show_progress(count: int) -> None:
                if count % _PROGRESS_STEP == 0:
                    show_line(counted(count, "game"))

            with store.database.snapshot():
                index = write_report(store, name, target, game_id, last_games, show_progress)
    click.echo(index)
