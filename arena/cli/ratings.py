"""``arena ratings``: how strong the engines of a database are, game by game."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.common.database import opened
from arena.cli.common.parameters import (
    database_option,
    examples,
    form_options,
    game_option,
    print_tables,
)
from arena.errors import ArenaError
from protocol.plurals import counted
from protocol.printable import printable

if TYPE_CHECKING:
    from rich.console import RenderableType

    from arena.ratings.fit import Fit
    from arena.ratings.lists import RatingList
    from arena.scoring import GameScoreCounts
    from arena.store import Store
    from arena.tables.ranking import RankingRow

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
@click.option("--elo", "sort_by_elo", is_flag=True, help="Sort by Elo instead of mu-3sigma.")
@click.option("--los", is_flag=True, help="Show also how likely each engine is stronger than each other.")
@click.option("--anchor", "anchor", metavar="NAME=VALUE", help="Give an engine's Elo, this time.")
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="KEY=VALUE",
    help="Set the list of --game for good; repeatable.",
)
@database_option
@form_options
def command(
    game_id: str | None,
    sort_by_elo: bool,
    los: bool,
    anchor: str | None,
    changes: tuple[str, ...],
    database: Path,
    form: str,
) -> None:
    """Rate engines by all their games in the database, in all its tournaments.

    There is a table for each game: TrueSkill's mu and sigma, sorted by mu-3sigma, the strength that an engine
    has almost surely; and the Elo that explains all games at once, whatever their order, with the half of its
    95 % interval. W-D-L are games won alone, with a shared first place, and lost.
    """
    from arena.tables.ranking import ELO_NOTE, RANKING_NOTE, ranking_rows
    from arena.tables.rating_tables import by_elo, fit_data, settings_data
    from arena.tables.standings import standings

    with opened(database) as store:
        if changes:
            _set(store, game_id, changes)
        lists = list(_lists(store, game_id, anchor))
        programs = store.programs()
    fits = {found.game: _fit(found) for found in lists}
    rankings = {found.game: ranking_rows(standings(found.tally), found.ratings) for found in lists}
    if sort_by_elo:
        rankings = {game: by_elo(rows, fits[game]) for game, rows in rankings.items()}
    tables = [
        {
            "game": found.game,
            "ranking": rankings[found.game],
            "fit": fit_data(fits[found.game], superiority=los),
            "settings": settings_data(found),
        }
        for found in lists
    ]
    if not lists and form != "json":
        which = f"no game of {game_id}" if game_id else "no game"
        click.echo(f"{database}: {which} has ended yet", err=True)
    note = ELO_NOTE if sort_by_elo else RANKING_NOTE
    parts = [
        part
        for found in lists
        for part in _parts(found, rankings[found.game], fits[found.game], note, los=los)
    ]
    print_tables(parts, tables, form)
    if form == "json":
        return
    _say_changed(programs, {row["engine"] for rows in rankings.values() for row in rows})


def _set(store: Store, game_id: str | None, changes: tuple[str, ...]) -> None:
    """Change how a list is set."""
    from arena.ratings.settings_text import ListSettings, changed

    if game_id is None:
        raise click.UsageError("--set needs --game ID: every game has settings of its own")
    told = changed(store.rating_lists.settings(game_id), changes)
    anchor = ListSettings.of(told).anchor
    names = {share.name for outcome in _tallies(store, game_id).get(game_id, ()) for share in outcome}
    if anchor is not None and anchor.name not in names:
        raise ArenaError(f"anchor = {anchor}: no engine of this name has played {game_id} in {store.path}")
    store.rating_lists.set(game_id, told)


def _tallies(store: Store, game_id: str | None) -> dict[str, GameScoreCounts]:
    """All games that count, by id.

    Raises:
        UnknownGame: there is no such game, neither in the database nor elsewhere.
    """
    from referee import game

    games = store.tally(game=game_id)
    if game_id is not None and not games:
        game(game_id)  # says what it may have been, if it is none
    return games


def _lists(store: Store, game_id: str | None, anchor: str | None) -> Iterator[RatingList]:
    from arena.ratings.lists import rating_list
    from arena.ratings.settings_text import Anchor

    given = None if anchor is None else Anchor.parse(anchor)
    for found, tally in _tallies(store, game_id).items():
        rated = rating_list(store, found, tally)
        if given is not None:
            rated = replace(rated, settings=replace(rated.settings, anchor=given))
        yield rated


def _fit(found: RatingList) -> Fit | None:
    from arena.ratings.fit import fit

    try:
        return fit(found.tally, found.model, found.settings.anchor)
    except ArenaError as error:
        raise ArenaError(f"{found.game}: {error}") from None


def _say_changed(programs: Mapping[tuple[str, str], frozenset[str]], names: Collection[str]) -> None:
    """Warn of engines whose program changed and whose version didn't."""
    for (name, version), known in sorted(programs.items()):
        if name in names and len(known) > 1:
            engine = printable(f"{name} {version}".strip())
            click.echo(f"warning: {engine}: {len(known)} different programs have played as this", err=True)


def _parts(
    found: RatingList, rows: list[RankingRow], best: Fit | None, note: str, *, los: bool
) -> Iterator[RenderableType]:
    from arena.tables.ranking import ELO_NOTE
    from arena.tables.rating_tables import fit_note, rating_table, superiority_view
    from arena.tables.titled_table import TitledTable

    yield f"{found.game}: {counted(found.tally.total(), 'game')}"
    yield TitledTable(found.game, "ratings", rating_table(rows, best), note)
    if best is not None:
        yield fit_note(found, best)
    if best is not None and los:
        yield "How likely the engine of the row is stronger than that of the column:"
        yield TitledTable(found.game, "superiority", superiority_view(best), ELO_NOTE)
