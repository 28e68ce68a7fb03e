"""``arena position``: what the rules say of a position."""

from __future__ import annotations

import shutil
import textwrap

import click

from arena.cli.common.parameters import (
    ascii_option,
    examples,
    json_option,
    position_option,
    print_json,
    setup_option,
)
from arena.cli.common.start_position import beginning
from arena.replay import replay
from arena.tables.verdict import who_won
from referee import Outcome, game

__all__ = ["command", "describe"]


@click.command(
    "position",
    epilog=examples(
        "$ arena position quoridor",
        '$ arena position quoridor --moves "e2 e8 e3h"',
        '$ arena position quoridor --position "/ / e4 e5 / 10 10 / 1" --json',
    ),
)
@click.argument("game_id", metavar="ID")
@setup_option
@position_option
@click.option("--moves", default="", metavar='"m m …"', help="Play these moves first.")
@ascii_option
@json_option
def command(
    game_id: str, setup: str | None, position: str | None, moves: str, ascii_only: bool, as_json: bool
) -> None:
    """Draw a position of the game ID, and list its legal moves and its outcome.

    The position is the game's start, or the one that --setup, --position and --moves lead to. In --moves,
    !K stands for the referee's removal of seat K in a game with more than two players.
    """
    rules = game(game_id)
    start = beginning(rules, setup, position)
    reached = [start, *replay(rules, start, moves.split())][-1]
    outcome = reached.outcome()
    legal = [str(move) for move in reached.legal_moves()]
    if as_json:
        print_json(
            {
                "game": game_id,
                "position": str(reached),
                "turn": None if outcome else reached.turn,
                "legal_moves": legal,
                "outcome": outcome,
            }
        )
        return
    click.echo(reached.diagram(ascii_only=ascii_only))
    click.echo(f"\nposition: {reached}")
    click.echo(f"outcome: {describe(outcome) if outcome else f'none, player {reached.turn + 1} to move'}")
    click.echo(f"legal moves: {len(legal)}")
    if legal:
        width = max(20, shutil.get_terminal_size().columns - 2)
        click.echo(textwrap.fill(" ".join(legal), width, break_long_words=False, break_on_hyphens=False))


def describe(outcome: Outcome) -> str:
    """An outcome in words, players counted from 1."""
    who = who_won([f"player {number}" for number in range(1, len(outcome.ranks) + 1)], outcome.ranks)
    scores = "" if outcome.scores is None else f", scores {'-'.join(map(str, outcome.scores))}"
    return f"{who} ({outcome.reason}{scores})"
