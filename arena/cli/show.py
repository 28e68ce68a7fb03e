"""``arena show``: show one stored game with all its moves."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.address import Address
from arena.cli.common import values
from arena.cli.common.database import open_database
from arena.cli.common.output import open_output, print_json, show, table
from arena.cli.common.parameters import ascii_option, database_option, examples, json_option
from arena.errors import ArenaError
from arena.model import GameRecord, GameResult, PlayerRecord
from arena.replay import clocks, positions
from arena.tables.result_text import verdict
from protocol.hub.transcript import transcript_file
from protocol.keys import did_you_mean
from protocol.wire.messages import Thought
from protocol.words import printable
from referee import game

if TYPE_CHECKING:
    from rich.table import Table


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
    metavar="FILE",
    help="Instead write a film of the game, at most 1 MB.",
)
@ascii_option
@database_option
@json_option
def command(
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
    the referee removed the player of seat K. `?` begins a fault that was forgiven; after `?random` the move
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
    _end(record.result)


def _last_loss(database: Address, engine: str) -> int:
    """Return the number of the last game that an engine lost. ArenaError: there is none."""
    from arena.store import GameSearch
    from arena.tables.tournament_list import engine_list

    with open_database(database) as store:
        for result in store.finder.results(GameSearch(engines=(engine,), result="lost"), 1):
            return result.id or 0
        known = [row["engine"] for row in engine_list(store)]
    if engine not in known:
        raise ArenaError(f"{database}: no game has the engine {engine!a}{did_you_mean(engine, known)}")
    raise ArenaError(f"{database}: {engine} has lost no game")


def _head(number: int, record: GameRecord, stage: str) -> None:
    result = record.result
    of = f", {stage}" if stage else ""
    click.echo(f"game {number} of {printable(result.tournament)}{of}: {result.game}")
    click.echo(f"began {date_text(record.started)}, took {_seconds(record.duration)} s")
    margins = [str(player.margin) for player in result.players]
    click.echo(f"margin {', '.join(margins if len(set(margins)) > 1 else margins[:1])} ms")
    if record.worker:
        longer = "" if record.scale == 1 else f", with time controls of {record.scale:g} times the length"
        click.echo(f"played by worker {printable(record.worker)}{longer}")
    job, names = str(result.number + 1), [player.name for player in result.players]
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
    for name, options in dict.fromkeys((player.name, _options(player)) for player in result.players):
        if options:
            click.echo(f"options of {printable(name)}: {printable(options)}")
    click.echo()


def _options(player: PlayerRecord) -> str:
    """Return the options of a player as text; "" if it has none, or they are not known."""
    return ", ".join(f"{name} = {value}" for name, value in (player.options or {}).items())


def _moves(record: GameRecord) -> Table:
    thoughtful = any(ply.thought is not None for ply in record.record)
    more = (">nodes", ">nodes/s", "line") if thoughtful else ()
    moves = table(">#", "player", "move", ">time", ">clock", ">score", ">depth", *more)
    for number, (ply, left) in enumerate(clocks(record), 1):
        clock = "" if left is None else _seconds(left)
        time = "" if ply.is_removal else _seconds(ply.time)
        depth = "" if ply.depth is None else str(ply.depth)
        row = [str(number), str(ply.seat + 1), ply.text, time, clock, printable(ply.score), depth]
        moves.add_row(*row, *(_thought(ply.thought or Thought()) if thoughtful else ()))
    return moves


def _thought(thought: Thought) -> tuple[str, str, str]:
    nodes, speed = ("" if count is None else str(count) for count in (thought.nodes, thought.nps))
    return nodes, speed, printable(thought.pv)


def _boards(record: GameRecord, *, ascii_only: bool) -> None:
    captions = ["start", *(f"opening: {move}" for move in record.opening.moves)]
    for number, (ply, left) in enumerate(clocks(record), 1):
        clock = "" if left is None else f", clock {_seconds(left)} s"
        cost = "" if ply.is_removal else f" ({_seconds(ply.time)} s{clock})"
        captions.append(f"{number}. player {ply.seat + 1}: {ply.text}{cost}")
    for caption, position in zip(captions, positions(game(record.result.game), record), strict=True):
        click.echo(f"{caption}\n{position.diagram(ascii_only=ascii_only)}\n")


def _end(result: GameResult) -> None:
    click.echo(f"result: {printable(verdict(result))}")
    if result.detail:
        click.echo(f"detail: {printable(result.detail)}")


def date_text(seconds: float) -> str:
    """Return an instant in seconds since 1970 as local date and time, if it has any."""
    try:
        return f"{datetime.fromtimestamp(seconds, tz=UTC).astimezone():%Y-%m-%d %H:%M:%S}"
    except (ValueError, OverflowError, OSError):  # an early import accepted any number
        return f"{seconds:g} s after 1970"


def _seconds(ns: int) -> str:
    return f"{ns / 1e9:.3f}"
