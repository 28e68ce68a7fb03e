"""``arena verify``: play a sample of stored games again, and compare them ply by ply."""

from __future__ import annotations

import random
from dataclasses import asdict
from itertools import count
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from arena.address import Address, absolute
from arena.cli.common import values
from arena.cli.common.database import find_tournament, open_database
from arena.cli.common.engines import warn_of_engine, warn_of_root
from arena.cli.common.output import print_json, progress_line
from arena.cli.common.parameters import examples, json_option
from arena.cli.program import FAILED
from arena.errors import ArenaError
from protocol.words import counted, printable

if TYPE_CHECKING:
    from arena.config import TournamentSpec
    from arena.model import GameRecord
    from arena.run.verify import Difference

_FORGED: Final = 0.05
"""The share of the games that a forger is supposed to have changed."""


@click.command(
    "verify", epilog=examples("$ arena verify tournament.toml", "$ arena verify tournament.toml --sample 20%")
)
@click.argument("file", type=values.TOURNAMENT_FILE)
@click.option(
    "--sample",
    "percent",
    type=values.PERCENT,
    default="3%",
    metavar="N%",
    help="The share of the games that is played again; they are drawn by lot.",
)
@click.option(
    "--db",
    "database",
    type=values.DATABASE,
    help="The database with the games, instead of `database` in the file.",
)
@json_option
def command(file: Path, percent: float, database: Address | None, as_json: bool) -> None:
    """Play games of the tournament that FILE describes again, and name those that differ.

    Each game is played from its start in new processes of its engines, with its opening, options and limits,
    and compared ply by ply. Engines must search to a number of nodes or a depth (`nodes=N`, `depth=N`), and
    play the same moves again: with one thread and without chance. A game with a clock cannot be verified. The
    exit code is 1 if a game differs. Then it is forged, or its engine is not the same or draws lots.
    """
    import trio

    from arena.config import load
    from arena.run.engines import build_engines, with_program_hashes
    from arena.run.verify import can_repeat, escape, job_of, sample_size, verify
    from protocol.process.machine import usable_cores

    spec = load(file)
    with open_database(spec.database if database is None else absolute(database)) as store:
        name = find_tournament(store, spec.name)
        store.check_settings(name, spec.settings())
        results = store.results(tournament=name)
        numbers = [result.id or 0 for result in results if can_repeat(result)]
        if not numbers:
            raise ArenaError(
                f"{file}: none of its {counted(len(results), 'stored game')} can be verified: an engine with"
                " a clock plays other moves the next time; only `nodes=N` and `depth=N` repeat a game"
            )
        chosen = sorted(random.SystemRandom().sample(numbers, sample_size(len(numbers), percent)))
        records = {number: store.game(number) for number in chosen}
    games = {number: (record, job_of(spec, record)) for number, record in records.items()}
    warn_of_root([entry.spec for entry in spec.engines])
    trio.run(build_engines, spec.engines, warn_of_engine)
    _warn_of_other_programs(with_program_hashes(spec), [*records.values()])
    done = count(1)

    with progress_line() as show_line:

        def on_game() -> None:
            if not as_json:
                show_line(f"{next(done)} of {counted(len(games), 'game')}")

        differences = trio.run(verify, games, len(usable_cores()), on_game, warn_of_engine)
    forged = ceil(len(numbers) * _FORGED)
    data = {
        "games": len(numbers),
        "not_verifiable": len(results) - len(numbers),
        "played": len(games),
        "plies": sum(len(record.record) for record in records.values()),
        "differences": [asdict(difference) for difference in differences],
        "forged": forged,
        "escape": escape(len(numbers), len(games), forged),
    }
    if as_json:
        print_json(data)
    else:
        _show(data, differences)
    if differences:
        raise click.exceptions.Exit(FAILED)


def _warn_of_other_programs(spec: TournamentSpec, records: list[GameRecord]) -> None:
    """Say which engines were another program when they played."""
    now = {entry.spec.name: entry.program for entry in spec.engines}
    players = [player for record in records for player in record.result.players]
    for name in sorted({player.name for player in players if player.program not in ("", now[player.name])}):
        warn_of_engine(name, "its program is not the one that played these games")


def _show(data: dict[str, Any], differences: list[Difference]) -> None:
    for different in differences:
        stored, now = printable(different.stored), printable(different.now)
        click.echo(
            f"game {different.game} differs at ply {different.ply}: stored is {stored}, now it is {now}"
        )
    click.echo(
        f"{data['played']} of {counted(data['games'], 'game')} played again,"
        f" {counted(data['plies'], 'ply', 'plies')}, differences: {len(differences)}"
    )
    if differences:
        click.echo("a game that differs is forged, or its engine draws lots, uses threads or is not the same")
    if data["not_verifiable"]:
        click.echo(
            f"{counted(data['not_verifiable'], 'other game')} cannot be verified: they have a clock, no"
            " result, or an engine on another machine"
        )
    click.echo(
        f"a forger of {counted(data['forged'], 'game')} (5 %) escapes such a sample with a probability of"
        f" {data['escape']:.2g}"
    )
