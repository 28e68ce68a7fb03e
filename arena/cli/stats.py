"""``arena stats``: show statistics of seats, openings, results and time in a tournament."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
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
    from rich.console import RenderableType

    from arena.ended_games import GameScoreCounts
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
    from arena.ended_games import GameScoreCounts
    from arena.tables.statistics import StatisticsCollector, overall_data, stats_data
    from arena.tables.text_table import heading

    reject_name_with_all(tournament, all_tournaments=all_tournaments)
    if by is not None:
        with open_database(database) as store:
            name = None if all_tournaments else find_tournament(store, tournament)
            _print_workers(store, name, game_id, output_format)
        return

    overall = StatisticsCollector(plies)
    with open_database(database) as store:
        name = None if all_tournaments else find_tournament(store, tournament)
        last = store.archive.contents().last
        collectors: dict[str, StatisticsCollector] = {}
        tallies = defaultdict(GameScoreCounts, store.tally(tournament=name, game=game_id))
        for record in store.archive.games(last, tournament=name, game=game_id):
            collectors.setdefault(record.result.game, StatisticsCollector(plies)).add(record)
            overall.add(record)
        if not collectors:
            no_game = f"no game of {game_id}" if game_id else "no game"
            where = "" if name is None else f" in the tournament {name!a}"
            raise ArenaError(f"{database}: {no_game} has ended{where} yet")
        strengths = {game: _strengths(store, game) for game in collectors}
    data: dict[str, object] = {
        "tournament": name,
        "games": [
            {"game": game, **stats_data(collector, tallies[game], strengths[game])}
            for game, collector in collectors.items()
        ],
    }
    all_games = sum(tallies.values(), GameScoreCounts())
    if len(collectors) > 1:
        data["overall"] = overall_data(overall, all_games)
    title = heading(name)
    renderables: list[RenderableType] = []
    for game, collector in collectors.items():
        renderables += _games_renderables(title, game, collector, strengths[game], max_openings)
        renderables += _ends(game, collector, tallies[game])
    if len(collectors) > 1:
        renderables += _overall(title, overall)
        renderables += _ends("", overall, all_games)
    print_tables(renderables, data, output_format)


def _print_workers(store: Store, name: str | None, game_id: str | None, output_format: str) -> None:
    from arena.tables import statistics as workers
    from arena.tables.text_table import TitledTable, heading

    collector = workers.WorkerCollector()
    for record in store.archive.games(store.archive.contents().last, tournament=name, game=game_id):
        collector.add(record)
    data = {"tournament": name, "workers": workers.workers_data(collector.workers)}
    table = TitledTable(
        game_id or "", "workers", workers.workers_table(collector.workers), workers.WORKERS_NOTE
    )
    print_tables([heading(name), table], data, output_format)


def _strengths(store: Store, game: str) -> Fit | None:
    """Fit the Elo of `arena ratings` to all games in the database."""
    from arena.ratings.fit import fit
    from arena.ratings.settings import ListSettings

    tally = store.tally(game=game).get(game)
    if tally is None:  # all games are void
        return None
    settings = ListSettings.of(store.rating_lists.settings(game))
    return fit(tally, settings.model_for(game, tally), settings.anchor)


def _games_renderables(
    title: str, game: str, collector: StatisticsCollector, strengths: Fit | None, max_openings: int
) -> Iterator[RenderableType]:
    from arena.tables import statistics as overview
    from arena.tables.text_table import TitledTable

    lengths = overview.lengths_note(collector.lengths)
    yield f"{title}, {game}: {overview.summary(collector)}; {lengths}"
    if collector.games:
        yield TitledTable(game, "seats", overview.seats_table(collector, strengths), overview.SEATS_NOTE)
        note = overview.openings_note(collector, max_openings)
        yield TitledTable(game, "openings", overview.openings_table(collector, max_openings), note)


def _overall(title: str, collector: StatisticsCollector) -> Iterator[RenderableType]:
    from arena.tables import statistics as overview
    from arena.tables.text_table import TitledTable

    yield f"{title}, all games: {overview.summary(collector)}"
    if collector.games:
        yield TitledTable("", "seats", overview.seats_table(collector, None), overview.ALL_SEATS_NOTE)


def _ends(game: str, collector: StatisticsCollector, counts: GameScoreCounts) -> Iterator[RenderableType]:
    """Yield the tables of reasons, forfeits and time, for one game id or for all of them."""
    from arena.tables import statistics as overview
    from arena.tables.text_table import TitledTable

    yield TitledTable(game, "ends", overview.ends_table(collector), overview.ENDS_NOTE)
    forfeits = overview.forfeits_table(counts)
    if forfeits.rows:
        yield TitledTable(game, "forfeits", forfeits, overview.FORFEITS_NOTE)
    if collector.games:
        yield TitledTable(game, "times", overview.times_table(collector), overview.TIMES_NOTE)
