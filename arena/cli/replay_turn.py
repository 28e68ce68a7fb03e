"""``arena replay-turn``: ask an engine to play a turn of a stored game again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from arena.address import Address
from arena.cli.common import values
from arena.cli.common.database import open_database
from arena.cli.common.engines import (
    EngineSettings,
    echo_line,
    engine_options,
    read_words,
    warn_of_engine,
    warn_of_root,
)
from arena.cli.common.output import print_json
from arena.cli.common.parameters import ascii_option, database_option, examples, json_option
from arena.cli.program import FAILED

if TYPE_CHECKING:
    from arena.model import GameRecord
    from arena.single import StoredTurn


@click.command(
    "replay-turn",
    epilog=examples(
        "$ arena replay-turn 3 4 -- python3 mine.py",
        "$ arena replay-turn 3 4 --trace --option Hash=64 -- ./mine --threads 2",
    ),
)
@click.argument("number", metavar="GAME", type=values.NUMBER)
@click.argument("ply", metavar="PLY", type=values.COUNT)
@click.argument("command_line", metavar="-- CMD …", nargs=-1, type=values.COMMAND)
@click.option("--trace", is_flag=True, help="Print every line to and from the engine on standard error.")
@engine_options("the engine", margin=False)
@ascii_option
@database_option
@json_option
def command(
    number: int,
    ply: int,
    command_line: tuple[str, ...],
    trace: bool,
    settings: EngineSettings,
    ascii_only: bool,
    database: Address,
    as_json: bool,
) -> None:
    """Start the engine CMD, ask it for ply PLY of the stored game GAME, and show its answer.

    The engine gets the same lines as in the stored game: handshake, new game, the position before that ply,
    and the clocks at that time. PLY is the number that `arena show` prints. If a forfeit ended the game, the
    ply after the last one is the turn of the forfeit.

    The exit code is 0 if the answer is a legal move in time, and 1 if the answer would have lost the game.
    """
    from dataclasses import replace

    import trio

    from arena.single import answer_text, ask_engine, stored_turn, turn_text

    engine = settings.spec("the engine", read_words(command_line))
    with open_database(database) as store:
        record = store.game(number)
    turn = stored_turn(record, ply)
    spec = replace(engine, margin=turn.margin)
    head = _as_data(number, ply, record, turn)
    if not as_json:
        click.echo(turn_text(number, ply, record, turn, ascii_only=ascii_only))

    def on_line(seconds: float, direction: str, text: str) -> None:
        if trace:
            echo_line(turn.seat, seconds, direction, text)

    warn_of_root([spec])
    answer = trio.run(ask_engine, turn, spec, on_line, warn_of_engine)
    if as_json:
        print_json(head | {"answer": answer})
    else:
        click.echo(answer_text(answer))
    if answer.fault is not None:
        raise click.exceptions.Exit(FAILED)


def _as_data(number: int, ply: int, record: GameRecord, turn: StoredTurn) -> dict[str, Any]:
    """Return the stored turn as data for ``--json``, without the new answer."""
    from protocol.wire.codec import format_command

    arbiter, played = turn.arbiter, turn.played
    return {
        "id": number,
        "tournament": record.result.tournament,
        "game": turn.game,
        "ply": ply,
        "seat": turn.seat,
        "engine": record.result.players[turn.seat].name,
        "position": str(arbiter.position),
        "moves": list(arbiter.line),
        "go": format_command(arbiter.go(), "ugi"),
        "played": None if played is None else {"move": played.text, "time": played.time},
        "detail": record.result.detail,
    }
