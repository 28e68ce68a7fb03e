"""``arena standings``: a tournament's tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.database import find_tournament, opened
from arena.cli.options import counted, database_option, examples, json_option, paragraphs, plain, print_json

if TYPE_CHECKING:
    from rich.console import RenderableType

    from arena.model import Result
    from arena.store import Store

__all__ = ["command", "show_standings"]


@click.command(
    "standings", epilog=examples("$ arena standings", "$ arena standings spring --db league.db --json")
)
@click.argument("tournament", required=False)
@database_option
@json_option
def command(tournament: str | None, database: Path, as_json: bool) -> None:
    """Show the crosstable and the ratings of TOURNAMENT, or of the one that was begun last.

    Games and points are the tournament's own; ratings rest on all games in the database, as in
    `arena ratings`.
    """
    show_standings(database, tournament, as_json=as_json)


def show_standings(database: Path, tournament: str | None, *, as_json: bool) -> None:
    """Print the tables of one tournament, or the latest: two for each of its games.

    Raises:
        ArenaError: the database has no such tournament, or cannot be used.
    """
    from arena.ratings.lists import rating_list
    from arena.report.formats import format_view
    from arena.report.tables import crosstable_rows, crosstable_view, ranking_rows, ranking_table
    from arena.standings import crosstable, standings

    with opened(database) as store:
        name = find_tournament(store, tournament)
        games = store.tally(tournament=name)
        # Ratings go by everything that is known of an engine, not by this tournament alone.
        whole = games if len(store.tournaments()) == 1 else store.tally()
        lists = {game: rating_list(store, game, whole[game]) for game in games}
        formats = {game: format_view(store.outline(name), game, _results(store, name)) for game in games}
    crosstables = {game: crosstable(played) for game, played in games.items()}
    rankings = {game: ranking_rows(standings(played), lists[game].ratings) for game, played in games.items()}
    if as_json:
        tables = [
            {
                "game": game,
                "played": played.total(),
                "crosstable": crosstable_rows(crosstables[game]),
                "ranking": rankings[game],
                **formats[game].data,
            }
            for game, played in games.items()
        ]
        print_json({"tournament": name, "games": tables})
        return
    if not games:
        click.echo(f"tournament {plain(name)}: no game has ended yet", err=True)
    parts: list[RenderableType] = []
    for game, played in games.items():
        parts.append(f"tournament {plain(name)}, {game}: {counted(played.total())}")
        parts += [*formats[game].parts, crosstable_view(crosstables[game]), ranking_table(rankings[game])]
    paragraphs(parts)


def _results(store: Store, name: str) -> Iterator[Result]:
    """The tournament's results, read when they are asked for: most formats don't."""
    yield from store.results(tournament=name)
