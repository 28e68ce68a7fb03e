"""``arena replay-turn``: put a turn of a stored game before an engine again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.common.database import load_game
from arena.cli.common.engines import echo_line, read_words
from arena.cli.common.parameters import (
    ascii_option,
    database_option,
    dialect_option,
    examples,
    json_option,
    print_json,
)
from protocol.printable import printable

if TYPE_CHECKING:
    from arena.model import GameRecord
    from arena.single.replay_turn import ReplayedAnswer, StoredTurn
    from protocol.wire.codec import Dialect

__all__ = ["command"]

FAILED = 1
"""Exit code when the answer would have lost the game."""


@click.command(
    "replay-turn",
    epilog=examples(
        "$ arena replay-turn 3 4 -- python3 mine.py",
        "$ arena replay-turn 3 4 --trace --option Hash=64 -- ./mine --threads 2",
    ),
)
@click.argument("number", metavar="GAME", type=click.IntRange(min=1))
@click.argument("ply", metavar="PLY", type=click.IntRange(min=1))
@click.argument("command_line", metavar="-- CMD …", nargs=-1, type=click.UNPROCESSED)
@click.option("--trace", is_flag=True, help="Print every line to and from the engine on standard error.")
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set an option of the engine; may be given several times.",
)
@dialect_option
@ascii_option
@database_option
@json_option
def command(
    number: int,
    ply: int,
    command_line: tuple[str, ...],
    trace: bool,
    options: tuple[str, ...],
    dialect: Dialect,
    ascii_only: bool,
    database: Path,
    as_json: bool,
) -> None:
    """Start the engine CMD, ask it for ply PLY of the stored game GAME, and show what it answers.

    It is told what an engine was told then: handshake, new game, the position at that ply, the clocks as
    they were. PLY counts as `arena show` does; the ply after the last one is where a forfeit ended the game.

    The exit code is 0 when the answer is a legal move in time, and 1 when it would have lost the game.
    """
    import trio

    from arena.single.replay_turn import ask, revisit
    from protocol.process.program import find_program
    from protocol.spec import EngineSpec

    words = read_words(command_line)
    find_program(words)
    chosen = dict(_option(text) for text in options)
    record = load_game(database, number)
    moment = revisit(record, ply)
    spec = EngineSpec(
        "the engine",
        words,
        dialect=dialect,
        options=chosen,
        margin=moment.margin,
    )
    head = _as_data(number, ply, record, moment)
    if not as_json:
        _show_moment(head, record, moment, ascii_only=ascii_only)

    def watch(seconds: float, direction: str, text: str) -> None:
        if trace:
            echo_line(moment.seat, seconds, direction, text)

    def warn(name: str, text: str) -> None:
        click.echo(f"warning: {name}: {text}", err=True)

    answer = trio.run(ask, moment, spec, watch, warn)
    if as_json:
        print_json(head | {"answer": answer})
    else:
        _show_answer(answer)
    if answer.fault is not None:
        raise click.exceptions.Exit(FAILED)


def _option(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not text.isprintable():
        raise click.UsageError(f"--option {text!r} is not of the form NAME=VALUE")
    return name.strip(), value.strip()


def _as_data(number: int, ply: int, record: GameRecord, moment: StoredTurn) -> dict[str, Any]:
    """Where the engine is put, before it has answered."""
    from protocol.wire.codec import format_command

    arbiter, played = moment.arbiter, moment.played
    return {
        "id": number,
        "tournament": record.result.tournament,
        "game": moment.game,
        "ply": ply,
        "seat": moment.seat,
        "engine": record.result.players[moment.seat].name,
        "position": str(arbiter.position),
        "moves": list(arbiter.line),
        "go": format_command(arbiter.go(), "ugi"),
        "played": None if played is None else {"move": played.text, "time": played.time},
        "detail": record.result.detail,
    }


def _show_moment(head: dict[str, Any], record: GameRecord, moment: StoredTurn, *, ascii_only: bool) -> None:
    player = f"player {moment.seat + 1} ({printable(head['engine'])})"
    click.echo(
        f"game {head['id']} of {printable(head['tournament'])}: {head['game']}, ply {head['ply']}, {player}"
    )
    if moment.played is not None:
        click.echo(f"answer then: {moment.played.text} in {moment.played.time / 1e9:.3f} s")
    else:
        detail = f": {printable(record.result.detail)}" if record.result.detail else ""
        click.echo(f"answer then: none that counts{detail}")
    click.echo(f"\n{moment.arbiter.position.diagram(ascii_only=ascii_only)}\n")
    click.echo(f"position: {head['position']}\n{head['go']}")


def _show_answer(answer: ReplayedAnswer) -> None:
    for line in answer.infos:
        click.echo(printable(line))
    time = "" if answer.time is None else f" in {answer.time / 1e9:.3f} s"
    if answer.fault is None:
        click.echo(f"answer now: {printable(str(answer.move))}, legal,{time}")
        return
    move = "none" if answer.move is None else printable(answer.move)
    click.echo(f"answer now: {move}{time}: {answer.fault}, the engine {printable(answer.reason)}")
