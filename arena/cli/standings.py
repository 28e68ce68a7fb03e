"""``arena standings``: show the crosstable and the ratings of a tournament."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.common.database import (
    all_option,
    find_tournament,
    open_database,
    reject_name_with_all,
    tournament_argument,
)
from arena.cli.common.output import print_tables
from arena.cli.common.parameters import database_option, examples, format_options

if TYPE_CHECKING:
    from rich.console import RenderableType

    from arena.ended_games import GameEnding, GameScoreCounts
    from arena.store import Store
    from arena.tables.crosstable import Crosstable
    from arena.tables.format_tables import FormatView
    from arena.tables.standings import StandingsOrder

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
@format_options
def command(tournament: str | None, all_tournaments: bool, database: Path, output_format: str) -> None:
    """Show the crosstable and the ratings of TOURNAMENT, or of the newest tournament of the database.

    Games and points are from this tournament only. Ratings use all games in the database, as in
    `arena ratings`.
    """
    reject_name_with_all(tournament, all_tournaments=all_tournaments)
    show_standings(database, tournament, output_format, all_tournaments=all_tournaments)


def show_standings(
    database: Path, tournament: str | None, output_format: str, *, all_tournaments: bool = False
) -> None:
    """Print the tables of one tournament: for each of its game ids, and for all game ids together.

    Args:
        database: the database file.
        tournament: the tournament's name, or ``None`` for the newest tournament of the database.
        output_format: a value of ``--format``.
        all_tournaments: print the tables of all tournaments together instead.

    Raises:
        ArenaError: the database has no such tournament, or it cannot be used.
    """
    from arena.ended_games import GameScoreCounts, count_unplayed
    from arena.ratings.lists import rating_list, repeated_games, repeats_note
    from arena.store import ALL_GAMES, GameFilter
    from arena.tables.crosstable import crosstable, crosstable_rows
    from arena.tables.ranking import RANKING_NOTES, groups_note, ranking_rows, ranking_table
    from arena.tables.standings import games_line, standings
    from arena.tables.titled_table import TitledTable, heading

    with open_database(database) as store:
        name = None if all_tournaments else find_tournament(store, tournament)
        games = store.tally(tournament=name)
        # Ratings use all games of an engine and not only the games of this tournament.
        rated_games = games if all_tournaments or len(store.tournaments()) == 1 else store.tally()
        lists = {game: rating_list(store, game, rated_games[game]) for game in games}
        formats = {game: _format_view(store, name, game) for game in games}
        only = ALL_GAMES if name is None else GameFilter(frozenset({name}))
        repeats = {
            game: repeats_note(repeated_games(store, game, played, only), played)
            for game, played in games.items()
        }
    groups = {game: rated.groups() for game, rated in lists.items()}
    crosstables = {game: crosstable(played, formats[game].order) for game, played in games.items()}
    rankings = {
        game: ranking_rows(standings(played, formats[game].order), lists[game].ratings, groups=groups[game])
        for game, played in games.items()
    }
    tables = [
        {
            "game": game,
            "played": played.total() - count_unplayed(played),
            "unplayed": count_unplayed(played),
            "crosstable": crosstable_rows(crosstables[game]),
            "ranking": rankings[game],
            **formats[game].data,
        }
        for game, played in games.items()
    ]
    data: dict[str, object] = {"tournament": name, "games": tables}
    title = heading(name)
    if not games and output_format != "json":
        click.echo(f"{title}: no game has ended yet", err=True)
    renderables: list[RenderableType] = []
    for game, played in games.items():
        renderables.append(f"{title}, {game}: {games_line(played)}")
        renderables += formats[game].renderables
        renderables.append(_crosstable(game, crosstables[game], output_format))
        renderables.append(
            TitledTable(game, "ranking", ranking_table(rankings[game]), RANKING_NOTES["trueskill"])
        )
        renderables += filter(None, [groups_note(groups[game]), repeats[game]])
    if len(games) > 1:
        order = next(iter(formats.values())).order
        data["overall"], tables_of_all = _overall(
            title, sum(games.values(), GameScoreCounts()), order, output_format
        )
        renderables += tables_of_all
    print_tables(renderables, data, output_format)


def _overall(
    title: str, all_games: GameScoreCounts, order: StandingsOrder, output_format: str
) -> tuple[dict[str, object], list[RenderableType]]:
    """Return the tables of all game ids together, as data and to print."""
    from arena.ended_games import count_unplayed
    from arena.tables.crosstable import crosstable, crosstable_rows
    from arena.tables.standings import games_line, points_note, points_table, standings
    from arena.tables.titled_table import TitledTable

    table, ranking = crosstable(all_games, order), standings(all_games, order)
    data = {
        "played": all_games.total() - count_unplayed(all_games),
        "unplayed": count_unplayed(all_games),
        "crosstable": crosstable_rows(table),
        "standings": [asdict(standing) for standing in ranking],
    }
    return data, [
        f"{title}, all games: {games_line(all_games)}",
        _crosstable("", table, output_format),
        TitledTable("", "points", points_table(ranking, order), points_note(order)),
    ]


def _crosstable(game: str, table: Crosstable, output_format: str) -> RenderableType:
    """Return the crosstable, or a hint if it is too large for a terminal."""
    from arena.tables.crosstable import WIDEST, crosstable_view
    from arena.tables.titled_table import TitledTable

    if output_format == "table" and len(table.names) > WIDEST:  # a thousand engines take a minute to lay out
        return f"The crosstable has more than {WIDEST} engines: print it with --format csv, md, html or json."
    return TitledTable(game, "crosstable", crosstable_view(table), table.note)


def _format_view(store: Store, name: str | None, game: str) -> FormatView:
    """Return the tables of the tournament's format; all tournaments together have none."""
    from arena.tables.format_tables import FormatView, format_view

    return (
        FormatView({}, []) if name is None else format_view(store.outline(name), game, _endings(store, name))
    )


def _endings(store: Store, name: str) -> Iterator[GameEnding]:
    """Read how the tournament's games ended, on demand, because most formats do not need it."""
    yield from store.endings(name)
