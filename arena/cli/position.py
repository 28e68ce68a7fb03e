"""``arena position``: draw a position, and list its legal moves and its outcome."""

from __future__ import annotations

import shutil
import textwrap

import click

from arena.cli.common import values
from arena.cli.common.output import print_json
from arena.cli.common.parameters import (
    ascii_option,
    examples,
    json_option,
    position_option,
    setup_option,
    start_position,
)
from arena.replay import replay
from arena.tables.result_text import who_won
from referee import Outcome, game


@click.command(
    "position",
    epilog=examples(
        "$ arena position quoridor",
        '$ arena position quoridor --moves "e2 e8 e3h"',
        '$ arena position quoridor --position "/ / e4 e5 / 10 10 / 1" --json',
    ),
)
@click.argument("game_id", type=values.NAME, metavar="ID")
@setup_option
@position_option
@click.option("--moves", type=values.MOVES, default="", metavar='"m m …"', help="Play these moves first.")
@ascii_option
@json_option
def command(
    game_id: str, setup: str | None, position: str | None, moves: str, ascii_only: bool, as_json: bool
) -> None:
    """Draw a position of the game ID, and list its legal moves and its outcome.

    The default is the start of the game; --setup, --position and --moves lead to another position. In
    --moves, !K means that the referee removes the player of seat K from a game of more than two players.
    """
    rules = game(game_id)
    start = start_position(rules, setup, position)
    current = [start, *replay(rules, start, moves.split())][-1]
    outcome = current.outcome()
    legal = [str(move) for move in current.legal_moves()]
    if as_json:
        print_json(
            {
                "game": game_id,
                "position": str(current),
                "turn": None if outcome else current.turn,
                "legal_moves": legal,
                "outcome": outcome,
            }
        )
        return
    click.echo(current.diagram(ascii_only=ascii_only))
    click.echo(f"\nposition: {current}")
    click.echo(f"outcome: {describe(outcome) if outcome else f'none, player {current.turn + 1} to move'}")
    click.echo(f"legal moves: {len(legal)}")
    if legal:
        width = max(20, shutil.get_terminal_size().columns - 2)
        click.echo(textwrap.fill(" ".join(legal), width, break_long_words=False, break_on_hyphens=False))


def describe(outcome: Outcome) -> str:
    """Describe an outcome in words, with players counted from 1."""
    winner = who_won([f"player {number}" for number in range(1, len(outcome.ranks) + 1)], outcome.ranks)
    scores = "" if outcome.scores is None else f", scores {'-'.join(map(str, outcome.scores))}"
    return f"{winner} ({outcome.reason}{scores})"
