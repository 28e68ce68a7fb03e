"""The commands that print tables of a database: ratings, lists, standings and statistics."""

from __future__ import annotations

import time
from dataclasses import asdict, replace
from datetime import datetime
from typing import TYPE_CHECKING

import click

from arena.address import Address
from arena.cli.common import values
from arena.cli.common.database import check_engine, find_tournament, open_database, tournament_or_all
from arena.cli.common.output import print_tables, tell
from arena.cli.common.parameters import (
    database_option,
    examples,
    format_options,
    game_option,
    is_typed,
    time_control_option,
)
from arena.errors import ArenaError
from protocol.words import printable

if TYPE_CHECKING:
    from arena.ratings.fit import Fit
    from arena.scoring import GameScoreCounts
    from arena.store import GameFilter, Store
    from arena.tables.ratings import RankingOrder
    from arena.tables.statistics import StatisticsCollector


@click.command(
    "ratings",
    epilog=examples(
        "$ arena ratings",
        "$ arena ratings --game quoridor --los",
        "$ arena ratings --overall",
        "$ arena ratings --game quoridor --store anchor=random=0",
    ),
)
@game_option
@click.option("--tournament", type=values.TOURNAMENT, help="Take only games of this tournament.")
@time_control_option(None, "Take only games in which every engine has this time control.")
@click.option(
    "--since",
    type=values.DATE,
    metavar="DATE",
    help="Take only games that started on this date or later, as in 2026-11-22 or 2026-11-22T18:00.",
)
@click.option(
    "--sort",
    "order",
    type=click.Choice(["trueskill", "elo", "points"]),
    default="trueskill",
    help="Sort by mu-3sigma of TrueSkill, by Elo, or by points.",
)
@click.option("--los", is_flag=True, help="Show the likelihood of superiority for each pair of engines.")
@click.option(
    "--anchor", type=values.LINE, metavar="NAME=VALUE", help="Set an engine's Elo for this table only."
)
@click.option(
    "--store",
    "changes",
    type=values.LINE,
    multiple=True,
    metavar="KEY=VALUE",
    help="Store a setting for the ratings of --game; repeatable.",
)
@click.option(
    "--overall", is_flag=True, help="Show one rating over all games, for engines that played each of them."
)
@database_option
@format_options
def ratings(
    game_id: str | None,
    tournament: str | None,
    time_control: str | None,
    since: datetime | None,
    order: RankingOrder,
    los: bool,
    anchor: str | None,
    changes: tuple[str, ...],
    overall: bool,
    database: Address,
    output_format: str,
) -> None:
    """Rate engines by all their games in all tournaments of the database.

    Each game id has a table. It shows mu and sigma of TrueSkill, and is sorted by mu-3sigma, a strength that
    the engine almost surely exceeds. It also shows Elo and half the width of its 95 % interval. Elo is fitted
    to all games together, so their order does not matter. The column `better` says how likely it is that an
    engine is stronger than the next one. W-D-L counts wins, draws and losses; a shared first place is a draw.
    Games in tournaments of remote bots have lists of their own below.

    With --overall one fit to several games gives each game the same weight. Its table also shows the game in
    which an engine is worst and the one in which it is best.
    """
    from arena.ratings.settings import Anchor
    from arena.store import ALL_GAMES
    from arena.tables.ratings import read_ratings

    if overall and (game_id is not None or los or anchor is not None or changes or is_typed("order")):
        raise click.UsageError("--overall takes no --game, --sort, --los, --anchor and --store")
    with open_database(database) as store:
        if changes:
            _set(store, game_id, changes)
        only = _filter(store, tournament, time_control, since)
        if overall:
            _show_overall(store, only, output_format)
            return
        new_anchor = None if anchor is None else Anchor.parse(anchor)
        at_home = [] if tournament is not None else [replace(only, remote=True)]
        lists = [
            (chosen, read_ratings(store, game, tally, chosen, order, new_anchor))
            for chosen in (only, *at_home)
            for game, tally in _tallies(store, game_id, chosen).items()
        ]
    if not lists and output_format != "json":
        no_game = f"no game of {game_id}" if game_id else "no game"
        which = f" among those counted ({_words(only)})" if only != ALL_GAMES else ""
        tell(f"{database}: {no_game} has ended yet{which}")
    print_tables(
        [part for chosen, rated in lists for part in rated.renderables(_words(chosen), los=los)],
        [rated.data(asdict(chosen), superiority=los) for chosen, rated in lists],
        output_format,
    )


def _show_overall(store: Store, only: GameFilter, output_format: str) -> None:
    from arena.ratings.lists import overall_fit
    from arena.tables.overall import overall_data, overall_table
    from protocol.words import counted

    try:
        rated = overall_fit(store, _tallies(store, None, only), only)
    except ArenaError as error:
        raise ArenaError(f"{store.address}: {error}; counted: {_words(only)}") from None
    heading = ", ".join(f"{game}: {counted(number, 'game')}" for game, number in rated.games.items())
    text = f"{heading}; all ids have the same weight; counted: {_words(only)}"
    print_tables([text, overall_table(rated)], overall_data(rated, asdict(only)), output_format)


def _filter(
    store: Store, tournament: str | None, time_control: str | None, since: datetime | None
) -> GameFilter:
    """Return the conditions of the games. ArenaError: there is no such tournament or time control."""
    from arena.store import GameFilter
    from referee.match.time_control import TimeControl

    name = None if tournament is None else find_tournament(store, tournament)
    if time_control is not None:
        time_control, known = str(TimeControl.parse(time_control)), store.time_controls()
        if time_control not in known:
            there = "; ".join(map(printable, known)) or "none"
            raise ArenaError(
                f"{store.address}: no game has the time control {time_control!a}; there are {there}"
            )
    return GameFilter(name, time_control, None if since is None else since.timestamp())


def _words(only: GameFilter) -> str:
    """Return which games are counted."""
    parts = []
    if only.tournament is not None:
        parts.append(f"tournament {printable(only.tournament)}")
    if only.time_control is not None:
        parts.append(f"time control {printable(only.time_control)}")
    if only.since is not None:
        parts.append(f"started since {datetime.fromtimestamp(only.since):%Y-%m-%d %H:%M}")
    if only.remote:
        parts.append("tournaments of remote bots")
    return ", ".join(parts) or "all games of the database"


def _set(store: Store, game_id: str | None, changes: tuple[str, ...]) -> None:
    """Store new settings for the rating list of a game."""
    from arena.ratings.settings import ListSettings, changed
    from arena.store import ALL_GAMES

    if game_id is None:
        raise click.UsageError("--store needs --game ID, because every game has its own settings")
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


@click.command(
    "list",
    epilog=examples(
        "$ arena list",
        "$ arena list spring",
        "$ arena list spring --engine alpha --lost",
        "$ arena list --all --last 100",
    ),
)
@tournament_or_all
@click.option("--engine", type=values.NAME, help="List only games of this engine.")
@click.option("--lost", is_flag=True, help="List only games that --engine lost.")
@click.option(
    "--reason", type=values.NAME, metavar="WORD", help="List only games that ended so, as in illegal or time."
)
@click.option(
    "--last",
    "most",
    type=values.COUNT,
    default=20,
    help="List at most N games, the newest ones.",
)
@database_option
@format_options
def list_(
    tournament: str | None,
    all_tournaments: bool,
    engine: str | None,
    lost: bool,
    reason: str | None,
    most: int,
    database: Address,
    output_format: str,
) -> None:
    """List the tournaments of the database, or the games of TOURNAMENT, with their numbers.

    An option that chooses games lists games, too, by default of the newest tournament. `arena show`, the
    pages and the lines of `arena run` use the same numbers. Tournaments are in the order in which they came
    into the database; other commands take the last one if you name none.
    """
    from arena.cli.stored_games import date_text
    from arena.store import GameSearch
    from arena.tables.result_text import verdict
    from arena.tables.text_table import TextTable, heading
    from protocol.words import counted

    if lost and engine is None:
        raise click.UsageError("--lost needs --engine NAME, which says who lost")
    if not (tournament or engine or reason or all_tournaments or is_typed("most")):
        _list_tournaments(database, output_format)
        return
    with open_database(database) as store:
        name = None if all_tournaments else find_tournament(store, tournament)
        engines = () if engine is None else (engine,)
        search = GameSearch(name, engines=engines, result="lost" if lost else "", reason=reason or "")
        number, shown = store.finder.count(search), store.finder.results(search, most)[::-1]
        if not number and engine is not None:
            check_engine(store, name, engine)
        if not number and reason is not None:
            _check_reason(store, name, reason)
        started = store.started(name, since=shown[0].id or 0) if shown else {}
    data = [
        {
            "number": result.id,
            "tournament": result.tournament,
            "game": result.game,
            "engines": result.names,
            "options": [player.options for player in result.players],
            "points": [player.points for player in result.players],
            "verdict": verdict(result),
            "termination": result.termination,
            "reason": result.reason,
            "plies": result.plies,
            "started": started[result.id or 0],
        }
        for result in shown
    ]
    rows = tuple(
        (
            str(result.id),
            " - ".join(printable(player.name) for player in result.players),
            printable(verdict(result)),
            str(result.plies),
            date_text(started[result.id or 0]),
            *([printable(result.tournament)] if name is None else []),
        )
        for result in shown
    )
    headers = ("#", "engines", "result", "plies", "started", *(["tournament"] if name is None else []))
    note = f"{len(shown)} of {counted(number, 'game')}, the newest last; `arena show #` shows one."
    table = TextTable("", "results", headers, rows, note)
    print_tables([heading(name), table], data, output_format)


def _list_tournaments(database: Address, output_format: str) -> None:
    from arena.tables.text_table import TextTable
    from arena.tables.tournament_list import total_text, tournament_list

    with open_database(database) as store:
        data = tournament_list(store)
    rows: list[tuple[str, ...]] = []
    for number, row in enumerate(data, 1):
        started = time.strftime("%Y-%m-%d %H:%M", time.localtime(row["started"]))
        known = (row["format"] or "", " ".join(row["games"]), str(row["engines"] or ""))
        rows.append((str(number), row["tournament"], started, *known, str(row["played"]), total_text(row)))
    headers = ("#", "tournament", "started", "format", "games", "engines", "played", "total")
    note = (
        "Order: as they came into the database. Played: the games that count. Total: the games that there"
        " are when nothing is left to play."
    )
    print_tables([TextTable("", "tournaments", headers, tuple(rows), note)], data, output_format)


def _check_reason(store: Store, tournament: str | None, reason: str) -> None:
    """Raise an ArenaError if no game ended so, and none can."""
    from referee.outcome import Termination

    reasons = store.finder.facets(tournament).reasons
    if reason not in {*reasons, *map(str, Termination)}:
        raise ArenaError(f"{store.address}: no game ended by {reason!a}; there are {', '.join(reasons)}")


@click.command(
    "standings",
    epilog=examples(
        "$ arena standings",
        "$ arena standings spring --db league.db --json",
        "$ arena standings spring --format md",
    ),
)
@tournament_or_all
@database_option
@format_options
def standings(
    tournament: str | None,
    all_tournaments: bool,
    database: Address,
    output_format: str,
) -> None:
    """Show the crosstable and the ratings of TOURNAMENT, or of the newest tournament of the database.

    A match has one block with its conditions, its results and what they say. Games and points are from this
    tournament only. Ratings use all games in the database, as in `arena ratings`.
    """
    show_standings(database, tournament, output_format, all_tournaments=all_tournaments)


def show_standings(
    database: Address, tournament: str | None, output_format: str, *, all_tournaments: bool = False
) -> None:
    """Print the tables of one tournament, None for the newest, in a value of ``--format``.

    ArenaError: the database has no such tournament, or it cannot be used.
    """
    from arena.tables.text_table import heading
    from arena.tables.tournament_tables import tournament_tables

    with open_database(database) as store, store.database.snapshot():
        name = None if all_tournaments else find_tournament(store, tournament)
        tables = tournament_tables(store, name, wide=output_format != "table")
    if not tables.renderables and output_format != "json":
        tell(f"{heading(name)}: no game has ended yet")
    elif output_format == "md" and tables.matches:
        click.echo(tables.summary())
        return
    print_tables(tables.renderables, tables.data, output_format)


@click.command("stats", epilog=examples("$ arena stats", "$ arena stats spring --game quoridor --format csv"))
@tournament_or_all
@game_option
@database_option
@format_options
def stats(
    tournament: str | None,
    all_tournaments: bool,
    game_id: str | None,
    database: Address,
    output_format: str,
) -> None:
    """Show statistics of the games of TOURNAMENT, or of the newest tournament of the database.

    For each game id, tables show the scores of the seats, the most frequent openings, the reasons for the end
    of games, and the time that each engine used. If several workers played, another table compares them.
    """
    from arena.store import GameSearch
    from arena.tables.statistics import GameStatistics, StatisticsCollector
    from arena.tables.text_table import heading
    from arena.tables.workers import WorkerCollector

    all_games, workers = StatisticsCollector(), WorkerCollector()
    collectors: dict[str, StatisticsCollector] = {}
    with open_database(database) as store, store.database.snapshot():
        name = None if all_tournaments else find_tournament(store, tournament)
        for record in store.finder.records(GameSearch(name, game_id)):
            collectors.setdefault(record.result.game, StatisticsCollector()).add(record)
            all_games.add(record)
            workers.add(record)
        if not collectors:
            no_game = f"no game of {game_id}" if game_id else "no game"
            where = "" if name is None else f" in the tournament {name!a}"
            raise ArenaError(f"{database}: {no_game} has ended{where} yet")
        games = [
            GameStatistics(collected, game, _strengths(store, game)) for game, collected in collectors.items()
        ]
    shown = [*games, *([GameStatistics(all_games)] if len(games) > 1 else [])]
    data: dict[str, object] = {
        "tournament": name,
        "games": [{"game": statistics.game, **statistics.data()} for statistics in games],
        **({"all_games": shown[-1].data()} if len(games) > 1 else {}),
        "workers": workers.data(),
    }
    title = heading(name)
    tables = [part for statistics in shown for part in statistics.renderables(title)]
    if len(workers.workers) > 1:
        tables.append(workers.table(game_id or ""))
    print_tables(tables, data, output_format)


def _strengths(store: Store, game: str) -> Fit | None:
    """Fit the Elo of `arena ratings` to all games in the database."""
    from arena.ratings.fit import fit
    from arena.ratings.settings import ListSettings

    tally = store.tally(game=game).get(game)
    if tally is None:  # all games are void
        return None
    settings = ListSettings.of(store.rating_lists.settings(game))
    return fit(tally, settings.model_for(game, tally), settings.anchor)
