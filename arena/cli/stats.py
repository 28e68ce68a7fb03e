"""``arena stats``: show statistics of seats, openings, results and time in a tournament."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from arena.address import Address
from arena.cli.common import values
from arena.cli.common.database import (
    all_option,
    find_tournament,
    open_database,
    reject_name_with_all,
    tournament_argument,
)
from arena.cli.common.output import print_tables
from arena.cli.common.parameters import database_option, examples, format_options, game_option
from arena.errors import ArenaError

if TYPE_CHECKING:
    from arena.ratings.fit import Fit
    from arena.store import Store
    from arena.tables.statistics import StatisticsCollector

__all__ = ["command"]


@click.command(
    "stats", epilog=examples("$ arena stats", "$ arena stats spring --game hops --plies 4 --format csv")
)
@tournament_argument
@all_option
@game_option
@click.option(
    "--plies",
    type=values.OPENING_PLIES,
    default=2,
    show_default=True,
    help="How many first moves of a game count as its opening, if the tournament does not set more.",
)
@click.option(
    "--openings",
    "max_openings",
    type=values.COUNT,
    default=10,
    show_default=True,
    help="How many openings to show, the most frequent first.",
)
@click.option(
    "--by", type=click.Choice(["worker"]), help="Show only a table of the workers: games, forfeits, depth."
)
@database_option
@format_options
def command(
    tournament: str | None,
    all_tournaments: bool,
    game_id: str | None,
    plies: int,
    max_openings: int,
    by: str | None,
    database: Address,
    output_format: str,
) -> None:
    """Show statistics of the games of TOURNAMENT, or of the newest tournament of the database.

    For each game id, tables show the scores of the seats, the openings, the reasons for the end of games, and
    the time that each engine used.
    """
    from arena.tables.statistics import GameStatistics, StatisticsCollector
    from arena.tables.text_table import heading

    reject_name_with_all(tournament, all_tournaments=all_tournaments)
    if by is not None:
        with open_database(database) as store:
            name = None if all_tournaments else find_tournament(store, tournament)
            _print_workers(store, name, game_id, output_format)
        return

    overall = StatisticsCollector(plies)
    collectors: dict[str, StatisticsCollector] = {}
    with open_database(database) as store:
        name = None if all_tournaments else find_tournament(store, tournament)
        last = store.archive.contents().last
        for record in store.archive.games(last, tournament=name, game=game_id):
            collectors.setdefault(record.result.game, StatisticsCollector(plies)).add(record)
            overall.add(record)
        if not collectors:
            no_game = f"no game of {game_id}" if game_id else "no game"
            where = "" if name is None else f" in the tournament {name!a}"
            raise ArenaError(f"{database}: {no_game} has ended{where} yet")
        games = [
            GameStatistics(collected, game, _strengths(store, game)) for game, collected in collectors.items()
        ]
    shown = [*games, *([GameStatistics(overall)] if len(games) > 1 else [])]
    data: dict[str, object] = {
        "tournament": name,
        "games": [{"game": one.game, **one.data()} for one in games],
        **({"overall": shown[-1].data()} if len(games) > 1 else {}),
    }
    title = heading(name)
    print_tables(
        [part for one in shown for part in one.renderables(title, max_openings)], data, output_format
    )


def _print_workers(store: Store, name: str | None, game_id: str | None, output_format: str) -> None:
    from arena.tables.statistics import WorkerCollector
    from arena.tables.text_table import heading

    collector = WorkerCollector()
    for record in store.archive.games(store.archive.contents().last, tournament=name, game=game_id):
        collector.add(record)
    data = {"tournament": name, "workers": collector.data()}
    print_tables([heading(name), collector.table(game_id or "")], data, output_format)


def _strengths(store: Store, game: str) -> Fit | None:
    """Fit the Elo of `arena ratings` to all games in the database."""
    from arena.ratings.fit import fit
    from arena.ratings.settings import ListSettings

    tally = store.tally(game=game).get(game)
    if tally is None:  # all games are void
        return None
    settings = ListSettings.of(store.rating_lists.settings(game))
    return fit(tally, settings.model_for(game, tally), settings.anchor)
