"""``arena tournaments``: list the tournaments of a database."""

from __future__ import annotations

import time

import click

from arena.address import Address
from arena.cli.common.database import open_database
from arena.cli.common.output import print_tables
from arena.cli.common.parameters import database_option, examples, format_options


@click.command(
    "tournaments", epilog=examples("$ arena tournaments", "$ arena tournaments --db league.db --json")
)
@database_option
@format_options
def command(database: Address, output_format: str) -> None:
    """List the tournaments of the database, in the order in which they came into it.

    Other commands take the last one if you name none.
    """
    from arena.tables.text_table import TextTable, TitledTable
    from arena.tables.tournament_list import tournament_list

    with open_database(database) as store:
        data = tournament_list(store)
    rows: list[tuple[str, ...]] = []
    for number, row in enumerate(data, 1):
        begun = time.strftime("%Y-%m-%d %H:%M", time.localtime(row["begun"]))
        known = (row["format"] or "", " ".join(row["games"]), str(row["engines"] or ""))
        rows.append((str(number), row["tournament"], begun, *known, str(row["played"])))
    table = TextTable(("#", "tournament", "begun", "format", "games", "engines", "played"), tuple(rows))
    note = "Order: as they came into the database. Played: the games that count."
    print_tables([TitledTable("", "tournaments", table, note)], data, output_format)
