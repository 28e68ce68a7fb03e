"""``arena ratings``: rate the engines of a database, with a table for each game."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

import click

from arena.address import Address
from arena.cli.common import values
from arena.cli.common.database import ChosenGames, game_filter_options, open_database
from arena.cli.common.output import print_tables
from arena.cli.common.parameters import database_option, examples, format_options, game_option
from arena.errors import ArenaError
from protocol.words import printable

if TYPE_CHECKING:
    from arena.ended_games import GameScoreCounts
    from arena.store import GameFilter, Store
    from arena.tables.ratings import RankingOrder


@click.command(
    "ratings",
    epilog=examples(
        "$ arena ratings",
        "$ arena ratings --game quoridor --los",
        "$ arena ratings --game quoridor --set anchor=random=0",
    ),
)
@game_option
@game_filter_options
@click.option(
    "--sort",
    "order",
    type=click.Choice(["trueskill", "elo", "points"]),
    default="trueskill",
    show_default=True,
    help="Sort by mu-3sigma of TrueSkill, by Elo, or by points.",
)
@click.option("--los", is_flag=True, help="Show the likelihood of superiority for each pair of engines.")
@click.option(
    "--anchor", type=values.LINE, metavar="NAME=VALUE", help="Set an engine's Elo for this table only."
)
@click.option(
    "--set",
    "changes",
    type=values.LINE,
    multiple=True,
    metavar="KEY=VALUE",
    help="Store a setting for the ratings of --game; repeatable.",
)
@database_option
@format_options
def command(
    game_id: str | None,
    tournament: str | None,
    time_control: str | None,
    since: datetime | None,
    order: RankingOrder,
    los: bool,
    anchor: str | None,
    changes: tuple[str, ...],
    database: Address,
    output_format: str,
) -> None:
    """Rate engines by all their games in all tournaments of the database.

    Each game id has a table. It shows mu and sigma of TrueSkill, and is sorted by mu-3sigma, a strength that
    the engine almost surely exceeds. It also shows Elo and half the width of its 95 % interval. Elo is fitted
    to all games at once, so their order does not matter. The column `better` says how likely it is that an
    engine is stronger than the next one. W-D-L counts wins, draws and losses; a shared first place is a draw.
    """
    from arena.ratings.settings import Anchor
    from arena.tables.ratings import read_ratings

    chosen = ChosenGames(tournament, time_control, since)
    with open_database(database) as store:
        if changes:
            _set(store, game_id, changes)
        only = chosen.filter(store)
        new_anchor = None if anchor is None else Anchor.parse(anchor)
        lists = [
            read_ratings(store, game, tally, only, order, new_anchor)
            for game, tally in _tallies(store, game_id, only).items()
        ]
        programs = store.programs()
    if not lists and output_format != "json":
        no_game = f"no game of {game_id}" if game_id else "no game"
        which = f" among those counted ({chosen.words()})" if chosen != ChosenGames() else ""
        click.echo(f"{database}: {no_game} has ended yet{which}", err=True)
    print_tables(
        [renderable for one in lists for renderable in one.renderables(chosen.words(), los=los)],
        [one.data(chosen.data(), superiority=los) for one in lists],
        output_format,
    )
    if output_format != "json":
        _warn_of_changed_programs(programs, {row["engine"] for one in lists for row in one.rows})


def _set(store: Store, game_id: str | None, changes: tuple[str, ...]) -> None:
    """Store new settings for the rating list of a game."""
    from arena.ratings.settings import ListSettings, changed
    from arena.store import ALL_GAMES

    if game_id is None:
        raise click.UsageError("--set needs --game ID, because every game has its own settings")
    settings = changed(store.rating_lists.settings(game_id), changes)
    anchor = ListSettings.of(settings).anchor
    names = {
        seat_score.name
        for game_score in _tallies(store, game_id, ALL_GAMES).get(game_id, ())
        for seat_score in game_score
    }
    if anchor is not None and anchor.name not in names:
        raise ArenaError(f"anchor = {anchor}: no engine of this name has played {game_id} in {store.address}")
    store.rating_lists.set(game_id, settings)


def _tallies(store: Store, game_id: str | None, only: GameFilter) -> dict[str, GameScoreCounts]:
    """Return the scores of the games that count, for each game id."""
    from referee import game

    games = store.tally(game=game_id, only=only)
    if game_id is not None and not games:
        game(game_id)  # raises UnknownGame, with a suggestion, for a wrong id
    return games


def _warn_of_changed_programs(
    programs: Mapping[tuple[str, str], frozenset[str]], names: Collection[str]
) -> None:
    """Warn of engines whose program changed although their version did not."""
    for (name, version), digests in sorted(programs.items()):
        if name in names and len(digests) > 1:
            engine = printable(f"{name} {version}".strip())
            click.echo(
                f"warning: {engine}: {len(digests)} different programs have this name and version",
                err=True,
            )
