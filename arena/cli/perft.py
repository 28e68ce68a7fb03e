"""``arena perft``: count sequences of turns by the rules, to compare them with published numbers."""

from __future__ import annotations

import time

import click

from arena.cli.common import values
from arena.cli.common.output import print_json
from arena.cli.common.parameters import examples, json_option, position_option, setup_option, start_position
from protocol.words import counted
from referee import game, perft


@click.command(
    "perft",
    epilog=examples(
        "$ arena perft quoridor 2",
        '$ arena perft quoridor 1 --divide --position "/ / e4 e5 / 10 10 / 1"',
    ),
)
@click.argument("game_id", type=values.NAME, metavar="ID")
@click.argument("depth", type=values.DEPTH)
@setup_option
@position_option
@click.option("--divide", is_flag=True, help="Print the count for each first move, too.")
@json_option
def command(
    game_id: str, depth: int, setup: str | None, position: str | None, divide: bool, as_json: bool
) -> None:
    """Count the sequences of DEPTH turns in the game ID, and measure the time.

    Two moves in a position count once if they lead to the same next position. A finished game has no moves.
    Nothing is adjudicated.
    """
    if divide and depth == 0:
        raise click.UsageError("--divide needs a depth of at least 1")
    rules = game(game_id)
    start = start_position(rules, setup, position)
    began = time.perf_counter()
    first_moves: dict[str, int] = {}
    if divide:
        for move, count in perft.divide(start, depth):
            first_moves[str(move)] = count
            if not as_json:
                click.echo(f"{move} {count}")
        nodes = sum(first_moves.values())
    else:
        nodes = perft.perft(start, depth)
    seconds = time.perf_counter() - began
    if as_json:
        data = {"game": game_id, "position": str(start), "depth": depth, "nodes": nodes}
        print_json({**data, "seconds": round(seconds, 6), **({"divide": first_moves} if divide else {})})
        return
    click.echo(f"{counted(nodes, 'node')} in {seconds:.2f} s ({nodes / max(seconds, 1e-9):,.0f} a second)")
