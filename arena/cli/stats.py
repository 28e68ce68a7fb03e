"""``arena stats``: seats, openings, ends and time in a tournament."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
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
from arena.cli.common.parameters import (
    database_option,
    examples,
    form_options,
    game_option,
    print_tables,
)
from arena.errors import ArenaError
from protocol.plurals import counted

if TYPE_CHECKING:
    from rich.console import RenderableType

    from arena.ratings.fit import Fit
    from arena.scoring import GameScoreCounts
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
    type=click.IntRange(min=1),
    default=2,
    show_default=True,
    help="Moves that make an opening, where the tournament gives none that is longer.",
)
@click.option(
    "--openings",
    "most",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Show so many openings, the most frequent ones.",
)
@database_option
@form_options
def command(
    tournament: str | None,
    together: bool,
    game_id: str | None,
    plies: int,
    most: int,
    database: Path,
    form: str,
) -> None:
    """Show what the games of TOURNAMENT have in common, or of the one that was begun last.

    For each game id: what the seats scored, how games began, why they ended, and the time of each engine.
    """
    from arena.scoring import GameScoreCounts
    from arena.tables.statistics import StatisticsCollector
    from arena.tables.statistics_tables import overall_data, stats_data

    one_or_all(tournament, together=together)

    everything = StatisticsCollector(plies)
    with opened(database) as store:
        name = None if together else find_tournament(store, tournament)
        last = store.archive.contents().last
        found: dict[str, StatisticsCollector] = {}
        tallies = defaultdict(GameScoreCounts, store.tally(tournament=name, game=game_id))
        for record in store.archive.games(last, tournament=name, game=game_id):
            found.setdefault(record.result.game, StatisticsCollector(plies)).add(record)
            everything.add(record)
        if not found:
            which = f"no game of {game_id}" if game_id else "no game"
            where = "" if name is None else f" in the tournament {name!a}"
            raise ArenaError(f"{database}: {which} has ended{where} yet")
        strengths = {game: _strengths(store, game) for game in found}
    data: dict[str, object] = {
        "tournament": name,
        "games": [
            {"game": game, **stats_data(one, tallies[game], strengths[game])} for game, one in found.items()
        ],
    }
    every = sum(tallies.values(), GameScoreCounts())
    if len(found) > 1:
        data["overall"] = overall_data(everything, every)
    title = heading(name)
    parts: list[RenderableType] = []
    for game, one in found.items():
        parts += _parts(title, game, one, strengths[game], most)
        parts += _ends(game, one, tallies[game])
    if len(found) > 1:
        parts += _overall(title, everything)
        parts += _ends("", everything, every)
    print_tables(parts, data, form)


def _strengths(store: Store, game: str) -> Fit | None:
    """What `arena ratings` fits: it rests on all games in the database."""
    from arena.ratings.fit import fit
    from arena.ratings.settings_text import ListSettings

    tally = store.tally(game=game).get(game)
    if tally is None:  # all of them void
        return None
    settings = ListSettings.of(store.rating_lists.settings(game))
    return fit(tally, settings.model_for(game, tally), settings.anchor)


def _parts(
    title: str, game: str, found: StatisticsCollector, strengths: Fit | None, most: int
) -> Iterator[RenderableType]:
    from arena.tables import statistics_tables as overview
    from arena.tables.titled_table import TitledTable

    lengths = overview.lengths_note(found.lengths)
    yield f"{title}, {game}: {_counted(found)}; {lengths}"
    if found.games:
        yield TitledTable(game, "seats", overview.seats_table(found, strengths), overview.SEATS_NOTE)
        note = overview.openings_note(found, most)
        yield TitledTable(game, "openings", overview.openings_table(found, most), note)


def _overall(title: str, found: StatisticsCollector) -> Iterator[RenderableType]:
    from arena.tables import statistics_tables as overview
    from arena.tables.titled_table import TitledTable

    yield f"{title}, all games: {_counted(found)}"
    if found.games:
        yield TitledTable("", "seats", overview.seats_table(found, None), overview.ALL_SEATS_NOTE)


def _ends(game: str, found: StatisticsCollector, counts: GameScoreCounts) -> Iterator[RenderableType]:
    """Of one game id, or of all: why games ended, who forfeited, and the time."""
    from arena.tables import statistics_tables as overview
    from arena.tables.titled_table import TitledTable

    yield TitledTable(game, "ends", overview.ends_table(found), overview.ENDS_NOTE)
    forfeits = overview.forfeits_table(counts)
    if forfeits.rows:
        yield TitledTable(game, "forfeits", forfeits, overview.FORFEITS_NOTE)
    if found.games:
        yield TitledTable(game, "times", overview.times_table(found), overview.TIMES_NOTE)


def _counted(found: StatisticsCollector) -> str:
    from arena.tables import statistics_tables as overview

    return counted(found.games, "game") + (f"; {overview.summary(found)}" if found.games else "")
