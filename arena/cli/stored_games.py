"""The commands about stored games: show one, make some void."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.address import Address
from arena.cli.common import values
from arena.cli.common.database import check_engine, find_tournament, open_database, tournament_argument
from arena.cli.common.output import confirm, open_output, print_json, show, table
from arena.cli.common.parameters import ascii_option, database_option, examples, json_option
from arena.errors import ArenaError
from arena.model import GameRecord, GameResult
from arena.replay import clocks, positions
from arena.tables.result_text import verdict
from protocol.hub.transcript import transcript_file
from protocol.wire.messages import Thought
from protocol.words import counted, printable
from referee import game

if TYPE_CHECKING:
    from rich.table import Table

    from arena.store import Store


def _number(ctx: click.Context, argument: click.Parameter, text: str | None) -> int | str:
    """Return the number of a game; with ``--last-loss`` the name of an engine."""
    if text is None:
        if ctx.params["last_loss"]:
            raise click.UsageError("name the engine that lost, as in: arena show NAME --last-loss")
        raise click.MissingParameter(ctx=ctx, param=argument)
    return text if ctx.params["last_loss"] else int(values.NUMBER.convert(text, argument, ctx))


@click.command(
    "show",
    epilog=examples(
        "$ arena show 1",
        "$ arena show 1 --board",
        "$ arena show 1 --gif game.gif",
        "$ arena show alpha --last-loss",
    ),
)
@click.argument(
    "number",
    metavar="GAME-NUMBER | NAME --last-loss",
    type=values.LINE,
    required=False,  # `_number` says what is missing
    callback=_number,
)
@click.option(
    "--last-loss",
    is_flag=True,
    is_eager=True,
    help="Show the last game that the engine NAME lost.",
)
@click.option("--board", is_flag=True, help="Draw every position (with --json: add the position strings).")
@click.option(
    "--gif",
    type=values.FILE_OR_STREAM,
    help="Instead write a film of the game, at most 1 MB.",
)
@ascii_option
@database_option
@json_option
def show_game(
    number: int | str,
    last_loss: bool,
    board: bool,
    gif: Path | None,
    ascii_only: bool,
    database: Address,
    as_json: bool,
) -> None:
    """Show a game: who played, every move with its time, clock, score and depth, and how it ended.

    Times and clocks are in seconds; a clock shows the time left after the move. The engine itself reports
    score and depth, and in some games nodes, nodes a second and the line that it expected. !K means that
    the referee removed the player of seat K. `?` marks a fault that was forgiven; after `?random` the move
    is the referee's.
    """
    if isinstance(number, str):
        number = _last_loss(database, number)
    with open_database(database) as store:
        record = store.game(number)
        outline = store.outline(record.result.tournament)
    if gif is not None:
        from arena.web.film import draw_film, film_of

        film = draw_film(film_of(record))
        with open_output(gif) as out:
            out.write(film)
        return
    if as_json:
        from arena.records.jsonl import whole_game

        print_json(whole_game(record, boards=board))
        return
    from arena.formats.plan import Plan

    plan = Plan.stored(outline)
    _head(number, record, "" if plan is None else plan.format.stage_of(plan.keys, record.result.key))
    if board:
        _boards(record, ascii_only=ascii_only)
    elif record.record:
        show(_moves(record))
        click.echo()
    click.echo(f"result: {printable(verdict(record.result))}")
    if record.result.detail:
        click.echo(f"detail: {printable(record.result.detail)}")


def _last_loss(database: Address, engine: str) -> int:
    """Return the number of the last game that an engine lost. ArenaError: there is none."""
    from arena.store import GameSearch

    with open_database(database) as store:
        for result in store.finder.results(GameSearch(engines=(engine,), result="lost"), 1):
            return result.id or 0
        check_engine(store, None, engine)
    raise ArenaError(f"{database}: {engine} has lost no game")


def _head(number: int, record: GameRecord, stage: str) -> None:
    result = record.result
    of = f", {stage}" if stage else ""
    click.echo(f"game {number} of {printable(result.tournament)}{of}: {result.game}")
    click.echo(f"started {date_text(record.started)}, took {_seconds(record.duration)} s")
    margins = [str(player.margin) for player in result.players]
    click.echo(f"margin {', '.join(margins if len(set(margins)) > 1 else margins[:1])} ms")
    if record.worker:
        click.echo(f"played by worker {printable(record.worker)}")
    job, names = str(result.number + 1), result.names
    files = (str(transcript_file(Path(), job, seat, name)) for seat, name in enumerate(names))
    click.echo(f"transcripts, if there is a log: {', '.join(files)} (numbered by the schedule)")
    if record.opening.position is not None:
        click.echo(f"start: {record.opening.position}")
    if record.opening.moves:
        click.echo(f"opening: {' '.join(record.opening.moves)}")
    click.echo()
    players = table("player", "engine", "version", "time control", ">place", ">points", ">used", "forfeit")
    for seat, player in enumerate(result.players, 1):
        place = "-" if player.rank is None else str(player.rank)
        used = _seconds(player.time_used)
        players.add_row(
            str(seat),
            printable(player.name),
            printable(player.version),
            player.time_control,
            place,
            f"{player.points:.3g}",
            used,
            player.forfeit or "",
        )
    show(players)
    for name, options in {player.name: player.options or {} for player in result.players}.items():
        if options:
            texts = ", ".join(f"{option} = {value}" for option, value in options.items())
            click.echo(f"options of {printable(name)}: {printable(texts)}")
    click.echo()


def _moves(record: GameRecord) -> Table:
    thoughtful = any(ply.thought is not None for ply in record.record)
    more = (">nodes", ">nodes/s", "line") if thoughtful else ()
    moves = table(">#", "player", "move", ">time", ">clock", ">score", ">depth", *more)
    for number, (ply, left) in enumerate(clocks(record), 1):
        clock = "" if left is None else _seconds(left)
        time = "" if ply.is_removal else _seconds(ply.time)
        depth = "" if ply.depth is None else str(ply.depth)
        row = [str(number), str(ply.seat + 1), ply.text, time, clock, printable(ply.score), depth]
        if thoughtful:
            thought = ply.thought or Thought()
            counts = ("" if count is None else str(count) for count in (thought.nodes, thought.nps))
            row += [*counts, printable(thought.pv)]
        moves.add_row(*row)
    return moves


def _boards(record: GameRecord, *, ascii_only: bool) -> None:
    captions = ["start", *(f"opening: {move}" for move in record.opening.moves)]
    for number, (ply, left) in enumerate(clocks(record), 1):
        clock = "" if left is None else f", clock {_seconds(left)} s"
        cost = "" if ply.is_removal else f" ({_seconds(ply.time)} s{clock})"
        captions.append(f"{number}. player {ply.seat + 1}: {ply.text}{cost}")
    for caption, position in zip(captions, positions(game(record.result.game), record), strict=True):
        click.echo(f"{caption}\n{position.diagram(ascii_only=ascii_only)}\n")


def date_text(seconds: float) -> str:
    """Return an instant in seconds since 1970 as local date and time."""
    return f"{datetime.fromtimestamp(seconds, tz=UTC).astimezone():%Y-%m-%d %H:%M:%S}"


def _seconds(ns: int) -> str:
    return f"{ns / 1e9:.3f}"


# --- void


@click.command(
    "void",
    epilog=examples(
        "$ arena void spring --engine alpha", "$ arena void spring --engine alpha --unplayed --force"
    ),
)
@tournament_argument
@click.option("--worker", type=values.NAME, help="All games that this worker played.")
@click.option("--engine", type=values.NAME, help="All games of this engine.")
@click.option("--unplayed", is_flag=True, help="Only games that the engine lost because it was disabled.")
@click.option("--force", is_flag=True, help="Do it without a question.")
@database_option
def void(
    tournament: str | None,
    worker: str | None,
    engine: str | None,
    unplayed: bool,
    force: bool,
    database: Address,
) -> None:
    """Take games out of TOURNAMENT, or out of the newest tournament of the database.

    The command says how many games it takes out, and asks. These games become void: they count no more, and
    the next `arena run` plays them. Do this while the tournament is not running.
    """
    from arena.store import GameSearch

    if (worker is None) == (engine is None):
        raise click.UsageError("name either a worker with --worker NAME, or an engine with --engine NAME")
    if unplayed and engine is None:
        raise click.UsageError("--unplayed needs an engine: --engine NAME")
    with open_database(database) as store:
        name = find_tournament(store, tournament)
        store.claim(name)
        if worker is not None:
            results = store.finder.results(GameSearch(name, worker=worker))
            detail = f"taken out with all games of the worker {worker}"
        elif unplayed:
            results = lost_unplayed(store, name, str(engine))
            detail = f"opened again: {engine} had been disabled"
        else:
            results = store.finder.results(GameSearch(name, engines=(str(engine),)))
            detail = f"taken out with all games of {engine}"
        games = {result.id or 0: result.key for result in results if result.counts}
        if not games:
            if engine is not None:
                check_engine(store, name, engine)
            raise ArenaError(f"{database}: no such game counts in the tournament {name!a}")
        count = f"{counted(len(games), 'game')} of {name}"
        if not force:
            confirm(f"{count} will be void. Go on?", f"{count} would be void; confirm with --force")
        consequence = _keep_rounds(store, name, games.values())
        store.make_void(games, detail)
    them = "it" if len(games) == 1 else "them"
    click.echo(f"{count} now void; the next `arena run` plays {them}")
    if consequence:
        click.echo(consequence)


def lost_unplayed(store: Store, tournament: str, engine: str) -> list[GameResult]:
    """Return the results of the games that a disabled engine lost without playing them."""
    from arena.store import GameSearch
    from referee.outcome import Termination

    word = Termination.DISABLED
    games = store.finder.results(GameSearch(tournament, engines=(engine,), reason=word.value))
    return [game for game in games if (engine, word) in ((seat.name, seat.forfeit) for seat in game.players)]


def _keep_rounds(store: Store, tournament: str, void: Collection[str]) -> str:
    """Let the rounds that have started stay before games become void; return a sentence about the others."""
    from arena.formats.plan import Plan

    plan = Plan.stored(store.outline(tournament))
    if plan is None:  # it came from no file
        return ""
    kept = plan.without(void, {ending.key: ending for ending in store.endings(tournament)})
    if kept.past != plan.past:
        store.begin_tournament(tournament, {}, kept.encode())
    if any(past.rounds for past in kept.past.values()):
        return "the rounds that have started keep their pairs"
    if plan.format.decided_by == "format":
        return "the next games follow from the new results; games that they need no more stay in the tables"
    return ""
