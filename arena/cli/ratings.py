"""``arena ratings``: rate the engines of a database, with a table for each game."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

import click

from arena.address import Address
from arena.cli.common import values
from arena.cli.common.database import ChosenGames, game_filter_options, open_database
from arena.cli.common.output import print_tables
from arena.cli.common.parameters import database_option, examples, format_options, game_option
from arena.errors import ArenaError
from protocol.plurals import counted
from protocol.printable import printable

if TYPE_CHECKING:
    from rich.console import RenderableType

    from arena.ended_games import GameScoreCounts
    from arena.ratings.fit import Fit
    from arena.ratings.fit_check import FitCheck
    from arena.ratings.lists import PlayGroups, RatingList
    from arena.store import GameFilter, Store
    from arena.tables.ratings import RankingOrder, RankingRow

__all__ = ["command"]


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
@click.option("--points-elo", is_flag=True, help="Show Elo on the scale of points, too.")
@click.option(
    "--bootstrap",
    type=values.SAMPLES,
    metavar="N",
    help="Compute the errors of Elo from N samples of the games, grouped by opening.",
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
    opening_book: str | None,
    order: RankingOrder,
    points_elo: bool,
    bootstrap: int | None,
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
    from arena.ratings.lists import repeated_games, repeats_note, with_clusters

    chosen = ChosenGames(tournament, time_control, since, opening_book)
    with open_database(database) as store:
        if changes:
            _set(store, game_id, changes)
        only = chosen.filter(store)
        lists = list(_lists(store, game_id, only, anchor))
        if bootstrap is None:  # it has clusters of its own
            lists = [with_clusters(store, rated, only) for rated in lists]
        repeats = {rated.game: repeated_games(store, rated.game, rated.tally, only) for rated in lists}
        programs = store.programs()
        fits = {rated.game: _fit(rated) for rated in lists}
        notes = {rated.game: [repeats_note(repeats[rated.game], rated.tally)] for rated in lists}
        if bootstrap is not None:
            for rated in lists:
                fits[rated.game], note = _bootstrapped(store, rated, fits[rated.game], only, bootstrap)
                notes[rated.game].append(note)
    from arena.tables.ratings import rating_data

    checks = {rated.game: _check(rated, fits[rated.game]) for rated in lists}
    groups = {rated.game: rated.groups() for rated in lists}
    rankings = {rated.game: _ranking(rated, fits[rated.game], order, groups[rated.game]) for rated in lists}
    data = [
        rating_data(
            rated,
            rankings[rated.game],
            fits[rated.game],
            checks[rated.game],
            counted=chosen.data(),
            repeated=repeats[rated.game],
            superiority=los,
        )
        for rated in lists
    ]
    if not lists and output_format != "json":
        no_game = f"no game of {game_id}" if game_id else "no game"
        which = f" among those counted ({chosen.words()})" if chosen != ChosenGames() else ""
        click.echo(f"{database}: {no_game} has ended yet{which}", err=True)
    renderables = [
        renderable
        for rated in lists
        for renderable in _renderables(
            rated,
            rankings[rated.game],
            fits[rated.game],
            order,
            groups[rated.game],
            checks[rated.game],
            chosen.words(),
            notes[rated.game],
            los=los,
            points_elo=points_elo,
        )
    ]
    print_tables(renderables, data, output_format)
    if output_format == "json":
        return
    _warn_of_changed_programs(programs, {row["engine"] for rows in rankings.values() for row in rows})


def _set(store: Store, game_id: str | None, changes: tuple[str, ...]) -> None:
    """Store new settings for the rating list of a game.

    Raises:
        click.UsageError: there is no ``--game``.
        ArenaError: a setting is wrong, or its anchor has not played the game.
    """
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
    """Return the scores of the games that count, for each game id.

    Raises:
        UnknownGame: there is no game ``game_id``, neither in the database nor installed.
    """
    from referee import game

    games = store.tally(game=game_id, only=only)
    if game_id is not None and not games:
        game(game_id)  # raises UnknownGame, with a suggestion, for a wrong id
    return games


def _lists(store: Store, game_id: str | None, only: GameFilter, anchor: str | None) -> Iterator[RatingList]:
    from arena.ratings.lists import rating_list
    from arena.ratings.settings import Anchor

    new_anchor = None if anchor is None else Anchor.parse(anchor)
    for game, tally in _tallies(store, game_id, only).items():
        rated = rating_list(store, game, tally, only)
        if new_anchor is not None:
            rated = replace(rated, settings=replace(rated.settings, anchor=new_anchor))
        yield rated


def _fit(rated: RatingList) -> Fit | None:
    try:
        return rated.fit()
    except ArenaError as error:
        raise ArenaError(f"{rated.game}: {error}") from None


def _bootstrapped(
    store: Store, rated: RatingList, best: Fit | None, only: GameFilter, samples: int
) -> tuple[Fit | None, str]:
    """Return the fit with the errors of a bootstrap, and a sentence about them."""
    from arena.ratings.fit import bootstrap_errors

    if best is None:
        return None, ""
    groups = store.opening_groups(rated.game, only=only)
    errors = bootstrap_errors(groups, rated.model, rated.settings.anchor, samples)
    strengths = tuple(
        replace(strength, error=errors.get(strength.name, strength.error)) for strength in best.strengths
    )
    number = counted(len(groups), "group")
    note = f"+-95%: from {samples} samples of {number} of games on one opening (bootstrap)"
    return replace(best, strengths=strengths), note


def _check(rated: RatingList, best: Fit | None) -> FitCheck | None:
    from arena.ratings.fit_check import check_fit

    return None if best is None else check_fit(rated.tally, rated.model, best)


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


def _ranking(
    rated: RatingList, best: Fit | None, order: RankingOrder, groups: PlayGroups
) -> list[RankingRow]:
    from arena.tables.ratings import ranking_rows
    from arena.tables.standings import standings

    names = [] if best is None else [strength.name for strength in best.strengths]
    return ranking_rows(standings(rated.tally), rated.ratings, order, names, groups)


def _renderables(
    rated: RatingList,
    rows: list[RankingRow],
    best: Fit | None,
    order: RankingOrder,
    groups: PlayGroups,
    check: FitCheck | None,
    chosen: str,
    notes: list[str],
    *,
    los: bool,
    points_elo: bool,
) -> Iterator[RenderableType]:
    from arena.tables.ratings import RANKING_NOTES, rating_notes, rating_table, superiority_view
    from arena.tables.standings import games_line
    from arena.tables.text_table import TitledTable

    yield f"{rated.game}: {games_line(rated.tally)}; counted: {chosen}"
    table = rating_table(rows, best, order, points_elo=points_elo)
    yield TitledTable(rated.game, "ratings", table, RANKING_NOTES[order])
    if best is not None:
        yield rating_notes(rated, best, rows, order, groups=groups, check=check, points_elo=points_elo)
    yield from filter(None, notes)
    if best is not None and los:
        yield "Probability that the engine of the row is stronger than the engine of the column:"
        yield TitledTable(rated.game, "superiority", superiority_view(best), RANKING_NOTES["elo"])
