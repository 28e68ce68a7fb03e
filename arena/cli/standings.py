"""``arena standings``: show the crosstable and the ratings of a tournament."""

from __future__ import annotations

import click

from arena.address import Address
from arena.cli.common.database import (
    all_option,
    find_tournament,
    open_database,
    reject_name_with_all,
    tournament_argument,
)
from arena.cli.common.output import print_tables
from arena.cli.common.parameters import database_option, examples, format_options

__all__ = ["command", "show_standings"]


@click.command(
    "standings",
    epilog=examples(
        "$ arena standings",
        "$ arena standings spring --db league.db --json",
        "$ arena standings spring --format md",
    ),
)
@tournament_argument
@all_option
@database_option
@format_options
def command(tournament: str | None, all_tournaments: bool, database: Address, output_format: str) -> None:
    """Show the crosstable and the ratings of TOURNAMENT, or of the newest tournament of the database.

    Games and points are from this tournament only. Ratings use all games in the database, as in
    `arena ratings`.
    """
    reject_name_with_all(tournament, all_tournaments=all_tournaments)
    show_standings(database, tournament, output_format, all_tournaments=all_tournaments)


def show_standings(
    database: Address, tournament: str | None, output_format: str, *, all_tournaments: bool = False
) -> None:
    """Print the tables of one tournament: for each of its game ids, and for all game ids together.

    Args:
        database: the database.
        tournament: the tournament's name, or ``None`` for the newest tournament of the database.
        output_format: a value of ``--format``.
        all_tournaments: print the tables of all tournaments together instead.

    Raises:
        ArenaError: the database has no such tournament, or it cannot be used.
    """
    from arena.tables.text_table import heading
    from arena.tables.tournament_tables import tournament_tables

    with open_database(database) as store:
        name = None if all_tournaments else find_tournament(store, tournament)
        tables = tournament_tables(store, name, wide=output_format != "table")
    if not tables.renderables and output_format != "json":
        click.echo(f"{heading(name)}: no game has ended yet", err=True)
    print_tables(tables.renderables, tables.data, output_format)
