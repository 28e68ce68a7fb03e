"""``arena ratings``: how strong the engines of a database are, game by game."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.database import by_game, opened
from arena.cli.options import counted, database_option, examples, json_option, paragraphs, print_json

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["command"]


@click.command("ratings", epilog=examples("$ arena ratings", "$ arena ratings --game quoridor --json"))
@click.option("--game", "game_id", metavar="ID", help="Only this game's.")
@database_option
@json_option
def command(game_id: str | None, database: Path, as_json: bool) -> None:
    """Rate engines by all their games in the database, in all its tournaments.

    The ratings are TrueSkill's, a table for each game, sorted by mu-3sigma: the strength that an engine has
    almost surely. W-D-L are games that it won alone, shared the first place of, and lost.
    """
    from arena.ratings import rate, settings_for
    from arena.report.tables import ranking_rows, ranking_table
    from arena.standings import standings
    from referee import game

    with opened(database) as store:
        results = by_game(store.results(game=game_id))
    if game_id is not None and not results:
        game(game_id)  # says what it may have been, if it is none
    rankings = {
        found: ranking_rows(standings(played), rate(played, settings_for(found)))
        for found, played in results.items()
    }
    if as_json:
        print_json([{"game": found, "ranking": rows} for found, rows in rankings.items()])
        return
    if not rankings:
        which = f"no game of {game_id}" if game_id else "no game"
        click.echo(f"{database}: {which} has ended yet", err=True)
    parts: list[RenderableType] = []
    for found, rows in rankings.items():
        parts += [f"{found}: {counted(len(results[found]))}", ranking_table(rows)]
    paragraphs(parts)
