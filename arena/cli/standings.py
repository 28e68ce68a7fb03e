"""``arena standings``: a tournament's tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.common.database import (
    all_option,
    find_tournament,
    heading,
    one_or_all,
    opened,
    tournament_argument,
)
from arena.cli.common.parameters import database_option, examples, form_options, print_tables
from protocol.plurals import counted

if TYPE_CHECKING:
    from rich.console import RenderableType

    from arena.scoring import GameEnding
    from arena.store import Store
    from arena.tables.crosstable import Crosstable
    from arena.tables.format_tables import FormatView

__all__ = ["command", "show_standings"]


@click.command(
    "standings",
    epilog=examples(
        "$ arena standings",
        "$ arena standings spring --db league.db --json",
        "$ arena standings spring --format md",
    ),
)
@tournament_argument
@all_option
@database_option
@form_options
def command(tournament: str | None, together: bool, database: Path, form: str) -> None:
    """Show the crosstable and the ratings of TOURNAMENT, or of the one that was begun last.

    Games and points are the tournament's own; ratings rest on all games in the database, as in
    `arena ratings`.
    """
    one_or_all(tournament, together=together)
    show_standings(database, tournament, form, together=together)


def show_standings(database: Path, tournament: str | None, form: str, *, together: bool = False) -> None:
    """Print the tables of one tournament, or the latest: two for each of its games, and two for all.

    Args:
        database: the file.
        tournament: its name; None for the latest.
        form: a value of ``--format``.
        together: all tournaments instead.

    Raises:
        ArenaError: the database has no such tournament, or cannot be used.
    """
    from arena.ratings.lists import rating_list
    from arena.scoring import GameScoreCounts
    from arena.tables.crosstable import crosstable, crosstable_rows
    from arena.tables.ranking import RANKING_NOTE, ranking_rows, ranking_table
    from arena.tables.standings import POINTS_NOTE, points_table, standings
    from arena.tables.titled_table import TitledTable

    with opened(database) as store:
        name = None if together else find_tournament(store, tournament)
        games = store.tally(tournament=name)
        # Ratings go by everything that is known of an engine, not by this tournament alone.
        whole = games if together or len(store.tournaments()) == 1 else store.tally()
        lists = {game: rating_list(store, game, whole[game]) for game in games}
        formats = {game: _format(store, name, game) for game in games}
    crosstables = {game: crosstable(played) for game, played in games.items()}
    rankings = {game: ranking_rows(standings(played), lists[game].ratings) for game, played in games.items()}
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
    data: dict[str, object] = {"tournament": name, "games": tables}
    title = heading(name)
    if not games and form != "json":
        click.echo(f"{title}: no game has ended yet", err=True)
    parts: list[RenderableType] = []
    for game, played in games.items():
        parts.append(f"{title}, {game}: {counted(played.total(), 'game')}")
        parts += formats[game].parts
        parts.append(_crosstable(game, crosstables[game], form))
        parts.append(TitledTable(game, "ranking", ranking_table(rankings[game]), RANKING_NOTE))
    if len(games) > 1:
        every = sum(games.values(), GameScoreCounts())
        parts.append(f"{title}, all games: {counted(every.total(), 'game')}")
        parts.append(_crosstable("", crosstable(every), form))
        parts.append(TitledTable("", "points", points_table(standings(every)), POINTS_NOTE))
        data["overall"] = {
            "played": every.total(),
            "crosstable": crosstable_rows(crosstable(every)),
            "standings": [asdict(standing) for standing in standings(every)],
        }
    print_tables(parts, data, form)


def _crosstable(game: str, table: Crosstable, form: str) -> RenderableType:
    """On a terminal not that of a thousand engines, which would take a minute to lay out."""
    from arena.tables.crosstable import CROSSTABLE_NOTE, WIDEST, crosstable_view
    from arena.tables.titled_table import TitledTable

    if form == "table" and len(table.names) > WIDEST:
        return f"The crosstable of more than {WIDEST} engines is in --format csv, md, html and json."
    return TitledTable(game, "crosstable", crosstable_view(table), CROSSTABLE_NOTE)


def _format(store: Store, name: str | None, game: str) -> FormatView:
    """What the tournament's format has to show; all tournaments together have none."""
    from arena.tables.format_tables import FormatView, format_view

    return (
        FormatView({}, []) if name is None else format_view(store.outline(name), game, _endings(store, name))
    )


def _endings(store: Store, name: str) -> Iterator[GameEnding]:
    """How the tournament's games ended, read when that is asked for: most formats don't."""
    yield from store.endings(name)
