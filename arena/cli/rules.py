"""The commands about the rules of games: the list of all games, and a position."""

from __future__ import annotations

import contextlib
import shutil
import sys
import textwrap
import time
from dataclasses import fields

import click

from arena.cli.common import values
from arena.cli.common.output import is_screen, print_json, show, table, tell
from arena.cli.common.parameters import (
    ascii_option,
    examples,
    game_argument,
    json_option,
    start_option,
)
from arena.replay import replay, start_position
from arena.tables.result_text import who_won
from protocol.words import counted
from referee import Outcome, Position, game, game_ids
from referee import perft as counting
from referee.errors import BrokenPlugin
from referee.registry import plugin_problems


@click.command("games", epilog=examples("$ arena games", "$ arena games --json"))
@json_option
def games(as_json: bool) -> None:
    """List the games that can be played: id, title, players, board, ply limit.

    The ply limit is the number of turns after which a game is a draw, unless a tournament sets another limit.
    """
    for problem in plugin_problems():
        tell(f"warning: {problem}")
    infos = []
    for game_id in game_ids():
        with contextlib.suppress(BrokenPlugin):  # plugin_problems() has reported it
            infos.append(game(game_id).info)
    if as_json:
        print_json(
            [
                {each.name: getattr(info, each.name) for each in fields(info) if each.name != "drawn"}
                for info in infos
            ]
        )
        return
    rows = table("id", "title", ">players", "board", ">ply limit")
    for info in infos:
        limit = "none" if info.ply_limit is None else str(info.ply_limit)
        rows.add_row(info.id, info.title, str(info.players), info.board, limit)
    show(rows)


@click.command(
    "position",
    epilog=examples(
        "$ arena position quoridor",
        '$ arena position quoridor --moves "e2 e8 e3h"',
        '$ arena position quoridor --start "/ / e4 e5 / 10 10 / 1" --json',
        "$ arena position quoridor --perft 2",
    ),
)
@game_argument
@start_option
@click.option(
    "--moves",
    type=values.MOVES,
    default="",
    show_default=False,
    metavar='"m m …"',
    help="Play these moves first.",
)
@click.option("--perft", "depth", type=values.DEPTH, help="Instead, count the sequences of N moves.")
@click.option("--divide", is_flag=True, help="With --perft, print the count for each first move, too.")
@ascii_option
@json_option
def position(
    game_id: str,
    start: str | None,
    moves: str,
    depth: int | None,
    divide: bool,
    ascii_only: bool,
    as_json: bool,
) -> None:
    """Draw a position of the game ID, and list its legal moves and its outcome.

    The default is the start of the game; --start and --moves lead to another position. In
    --moves, !K means that the referee removes the player of seat K from a game of more than two players.

    --perft counts the sequences of N moves from there, and measures the time. Two moves in a position count
    once if they lead to the same next position. A finished game has no moves. Nothing is adjudicated.
    """
    if divide and not depth:
        raise click.UsageError("--divide needs --perft N, and N must be at least 1")
    rules = game(game_id)
    first = start_position(rules, start)
    current = [first, *replay(rules, first, moves.split())][-1]
    if depth is not None:
        _count(game_id, current, depth, divide=divide, as_json=as_json)
        return
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
        width = max(20, shutil.get_terminal_size().columns - 2) if is_screen(sys.stdout) else 78
        click.echo(textwrap.fill(" ".join(legal), width, break_long_words=False, break_on_hyphens=False))


def describe(outcome: Outcome) -> str:
    """Describe an outcome in words, with players counted from 1."""
    winner = who_won([f"player {number}" for number in range(1, len(outcome.ranks) + 1)], outcome.ranks)
    scores = "" if outcome.scores is None else f", scores {'-'.join(map(str, outcome.scores))}"
    return f"{winner} ({outcome.reason}{scores})"


def _count(game_id: str, start: Position, depth: int, *, divide: bool, as_json: bool) -> None:
    """Print how many sequences of ``depth`` moves a position has, and how long it took to count them."""
    started = time.perf_counter()
    first_moves: dict[str, int] = {}
    if divide:
        for move, count in counting.divide(start, depth):
            first_moves[str(move)] = count
            if not as_json:
                click.echo(f"{move} {count}")
        nodes = sum(first_moves.values())
    else:
        nodes = counting.perft(start, depth)
    seconds = time.perf_counter() - started
    if as_json:
        data = {"game": game_id, "position": str(start), "depth": depth, "nodes": nodes}
        print_json({**data, "seconds": round(seconds, 6), **({"divide": first_moves} if divide else {})})
        return
    click.echo(f"{counted(nodes, 'node')} in {seconds:.2f} s ({nodes / max(seconds, 1e-9):,.0f} a second)")
