"""``arena games``: what can be played."""

from __future__ import annotations

import click

from arena.cli.options import console, examples, json_option, print_json
from referee import game, game_ids

__all__ = ["command"]


@click.command("games", epilog=examples("$ arena games", "$ arena games --json"))
@json_option
def command(as_json: bool) -> None:
    """List the games that can be played: id, title, players, board, ply limit.

    The ply limit is the number of turns after which a game is a draw unless a tournament sets another.
    """
    infos = [game(id_).info for id_ in game_ids()]
    if as_json:
        print_json(infos)
        return
    from rich.table import Table

    table = Table("id", "title", box=None, pad_edge=False)
    table.add_column("players", justify="right")
    table.add_column("board")
    table.add_column("ply limit", justify="right")
    for info in infos:
        limit = "none" if info.ply_limit is None else str(info.ply_limit)
        table.add_row(info.id, info.title, str(info.players), info.board, limit)
    console().print(table)
