"""``arena tournaments``: list the tournaments of a database."""

from __future__ import annotations

import time
from itertools import chain
from pathlib import Path

import click

from arena.cli.common.database import open_database
from arena.cli.common.output import print_tables
from arena.cli.common.parameters import database_option, examples, format_options

__all__ = ["command"]


@click.command(
    "tournaments", epilog=examples("$ arena tournaments", "$ arena tournaments --db league.db --json")
)
@database_option
@format_options
def command(database: Path, output_format: str) -> None:
    """List the tournaments of the database, in the order in which they came into it.

    Other commands take the last one if you name none.
    """
    from arena.config import stored_plan
    from arena.tables.text_table import TextTable
    from arena.tables.titled_table import TitledTable

    with open_database(database) as store:
        listed = [(info, stored_plan(store.outline(info.name))) for info in store.tournaments()]
    data: list[dict[str, object]] = []
    rows: list[tuple[str, ...]] = []
    for number, (info, plan) in enumerate(listed, 1):
        form = None if plan is None else plan.format
        games = [] if plan is None else list(plan.entrants)
        engines = None if plan is None else len({*chain(*plan.entrants.values())})
        data.append(
            {
                "tournament": info.name,
                "begun": info.created,
                "format": form,
                "games": games,
                "engines": engines,
                "played": info.games,
            }
        )
        begun = time.strftime("%Y-%m-%d %H:%M", time.localtime(info.created))
        known = (form or "", " ".join(games), str(engines or ""))
        rows.append((str(number), info.name, begun, *known, str(info.games)))
    table = TextTable(("#", "tournament", "begun", "format", "games", "engines", "played"), tuple(rows))
    note = "Order: as they came into the database. Played: the games that count."
    print_tables([TitledTable("", "tournaments", table, note)], data, output_format)
