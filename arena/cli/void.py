"""``arena void``: take the games of a worker out of a tournament, so that they are played again."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.common import values
from arena.cli.common.database import find_tournament, open_database, tournament_argument
from arena.cli.common.parameters import database_option, examples
from arena.errors import ArenaError
from protocol.words import counted


@click.command("void", epilog=examples("$ arena void spring --worker lab3"))
@tournament_argument
@click.option(
    "--worker", type=values.NAME, required=True, metavar="NAME", help="The worker that played the games."
)
@click.option("--dry-run", is_flag=True, help="Change nothing; only count the games.")
@database_option
def command(tournament: str | None, worker: str, dry_run: bool, database: Path) -> None:
    """Take all games of a worker out of TOURNAMENT, or out of the newest tournament of the database.

    The games become void: they count no more, and the next `arena run` plays them again. Do this while the
    tournament is not running.
    """
    with open_database(database) as store:
        name = find_tournament(store, tournament)
        games = store.count_of_worker(name, worker) if dry_run else store.make_void(name, worker)
    if not games:
        raise ArenaError(
            f"{database}: a worker {worker!a} has played no game that counts in the tournament {name!a};"
            " `arena stats --by worker` lists the workers"
        )
    if dry_run:
        click.echo(f"{counted(games, 'game')} of {name} would become void")
    else:
        click.echo(f"{counted(games, 'game')} of {name} now void; the next `arena run` plays them again")
