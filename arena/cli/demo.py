"""``arena demo``: play a tournament of the sample engines in about a minute."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import click

from arena.address import Address, absolute
from arena.cli.common import values
from arena.cli.common.database import open_database
from arena.cli.common.parameters import examples

__all__ = ["command"]


@click.command("demo", epilog=examples("$ arena demo", "$ arena demo --db first.db"))
@click.option(
    "--db",
    "database",
    type=values.DATABASE,
    default=Path("demo.db"),
    show_default=True,
    metavar="FILE",
    help="The database for the games. Each demo in it is a separate tournament.",
)
def command(database: Address) -> None:
    """Play a round-robin tournament of the sample engines on Quoridor.

    An engine whose tool (make, a C compiler, node) is missing does not play; a line of the output names it.
    """
    from arena.cli.common.sample_engines import sample_engines
    from arena.cli.run import play
    from arena.config import load

    folder = sample_engines()
    spec = load(folder / "demo.toml", skip_missing=_skip).override(
        database=absolute(database), name=_new_name(database)
    )
    play(spec)
    click.echo("\nWhat to try next:")
    for line in next_commands(folder, database, spec.name):
        click.echo(f"  {line}")


def next_commands(engines: Path, database: Address, tournament: str) -> tuple[str, ...]:
    """Return commands that a user can type after the demonstration, in the folder where it ran."""
    from arena.cli.program.own_name import own_name, short_path

    arena = quote(short_path(own_name()))
    seat = quote(f"{{python}} {quote(short_path(str(engines / 'python-greedy' / 'engine.py')))}")
    file = quote(str(database))
    return (
        f"{arena} show 1 --board --db {file}",
        f"{arena} play quoridor --seat human --seat {seat}",
        f"{arena} serve {file} --open",
        f"{arena} report {tournament} --db {file} -o report",
        f"{arena} new-engine mine --lang python --game quoridor",
    )


def _skip(name: str, problem: str) -> None:
    click.echo(f"left out: {name}: {problem}", err=True)


def _new_name(database: Address) -> str:
    """Return a tournament name that no earlier demo in this database has."""
    from arena.errors import MissingDatabase

    try:
        with open_database(database) as store:
            taken = {tournament.name for tournament in store.tournaments()}
    except MissingDatabase:
        return "demo"
    number = 2
    while f"demo-{number}" in taken:
        number += 1
    return f"demo-{number}" if "demo" in taken else "demo"
