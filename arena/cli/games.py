"""``arena games``: list the games that can be played."""

from __future__ import annotations

import contextlib
from dataclasses import fields

import click

from arena.cli.common.output import print_json, show, table
from arena.cli.common.parameters import examples, json_option
from referee import game, game_ids
from referee.errors import BrokenPlugin
from referee.registry import plugin_problems


@click.command("games", epilog=examples("$ arena games", "$ arena games --json"))
@json_option
def command(as_json: bool) -> None:
    """List the games that can be played: id, title, players, board, ply limit.

    The ply limit is the number of turns after which a game is a draw, unless a tournament sets another limit.
    """
    for problem in plugin_problems():
        click.echo(f"warning: {problem}", err=True)
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
