"""``arena play``: play one game without a tournament."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena import samples
from arena.cli.common import values
from arena.cli.common.engines import (
    CommandLineSettings,
    echo_line,
    engine_options,
    one_for_each,
    read_command,
    warn_of_engine,
    warn_of_root,
)
from arena.cli.common.output import arena_command, print_json, tell
from arena.cli.common.parameters import (
    ascii_option,
    examples,
    json_option,
    log_option,
    start_option,
    time_control_option,
)
from arena.cli.program import FAILED
from protocol.words import did_you_mean, printable
from referee.match.time_control import USUAL

if TYPE_CHECKING:
    from protocol.spec import EngineSpec
    from referee.match.arbiter import Arbiter
    from referee.match.job import JobFinished


@click.command(
    "play",
    epilog=examples(
        "$ arena play quoridor --seat human --seat sample:greedy",
        "$ arena play quoridor --seat sample:greedy --seat sample:random --tc 1+0.01 --log logs",
        '$ arena play quoridor --seat "{python} mine/engine.py" --seat sample:random --trace --quiet',
    ),
)
@click.argument("game_id", type=values.GAME, metavar="[ID]", required=False)
@click.option(
    "--seat",
    "seats",
    type=values.COMMAND,
    multiple=True,
    required=True,
    metavar="CMD",
    help="An engine's command, `human`, or an engine to play against: sample:random, sample:greedy or"
    " sample:alphabeta. Give the option once for each seat, in seat order.",
)
@time_control_option(
    USUAL,
    "The time control of the engines, as in a tournament file. Give it once, or once for each seat.",
    several=True,
)
@engine_options("the engines", each="seat")
@start_option
@click.option(
    "--moves",
    type=values.MOVES,
    default="",
    show_default=False,
    metavar='"m m …"',
    help="Play these moves before the game starts.",
)
@log_option("The folder for transcripts of the dialogue with each engine.")
@click.option("--trace", is_flag=True, help="Print every line to and from the engines on standard error.")
@click.option("--quiet", is_flag=True, help="Print only the result.")
@ascii_option
@json_option
@click.pass_context
def command(
    context: click.Context,
    game_id: str | None,
    seats: tuple[str, ...],
    time_control: tuple[str, ...],
    settings: CommandLineSettings,
    start: str | None,
    moves: str,
    log: Path | None,
    trace: bool,
    quiet: bool,
    ascii_only: bool,
    as_json: bool,
) -> None:
    """Play one game of ID between engines, people, or both, and print the board after every move.

    Without ID, engines that speak uci or xboard play chess.

    A person types a move, or one of these: `help`, `?` (the legal moves), `undo`, `resign`, `quit`. The game
    is not stored. The exit code is 1 if an engine lost by an illegal move, on time, by a crash or by another
    failure.
    """
    import trio

    from arena.errors import ArenaError
    from arena.replay import is_position, start_position
    from arena.single import HUMAN, HumanPlayer, play_one
    from referee import game
    from referee.match.job import Job, JobSeat, VoidCause
    from referee.outcome import Termination

    game_id = game_id or settings.implied_game("arena play ID")
    if game_id is None:
        raise click.MissingParameter(ctx=context, param=context.command.params[0])
    rules = game(game_id)
    specs = tuple(_players(game_id, rules.info.players, seats, settings))
    one_for_each(time_control, len(seats), "--time-control", f"{game_id} has {len(seats)} seats")
    controls = time_control if len(time_control) > 1 else time_control * len(seats)
    start_position(rules, start)  # report wrong options before any engine starts
    job = Job(
        "1",
        game_id,
        tuple(map(JobSeat, specs, controls)),
        position=start if start and is_position(start) else None,
        moves=tuple(moves.split()),
        setup=None if start and is_position(start) else start,
        log=None if log is None else str(log),
    )
    turns: list[int] = []
    humans = {
        seat: HumanPlayer(rules, f"{HUMAN} {seat + 1}", _ask, tell if as_json else click.echo, turns)
        for seat, text in enumerate(seats)
        if text == HUMAN
    }

    def observe(arbiter: Arbiter) -> None:
        if not quiet and not as_json:
            _show(arbiter, ascii_only=ascii_only)

    warn_of_root(spec for spec, text in zip(specs, seats, strict=True) if text != HUMAN)
    finished = trio.run(play_one, job, humans, observe, warn_of_engine, echo_line if trace else None)
    if as_json:
        print_json(finished)
    if finished.void is VoidCause.ABANDONED:
        if not as_json:
            click.echo("\nthe game was abandoned, so it has no result")
        return
    if finished.termination == "void":
        raise ArenaError(f"the game is void, and no engine is at fault: {printable(finished.detail)}")
    failed = [
        seat
        for seat, result in enumerate(finished.seats)
        if seat not in humans and result.forfeit not in (None, Termination.RESIGN)
    ]
    if not as_json:
        click.echo(f"\n{ending(finished)}")
        for line in dict.fromkeys(
            arena_command("check", "--game", game_id, *settings.words([seats[seat]], seat), "--")
            + f" {seats[seat]}"
            for seat in failed
            if specs[seat].dialect != "xboard"  # which has no checks
        ):
            click.echo(f"Find the cause: {line}")
    if failed:
        raise click.exceptions.Exit(FAILED)


def _players(
    game_id: str, players: int, seats: tuple[str, ...], settings: CommandLineSettings
) -> Iterator[EngineSpec]:
    """Yield an engine for each seat, named after its number; a person has one that is never started.

    UsageError: there are too many or too few of an option, or a command cannot be read.
    EngineStartError: an engine cannot be started.
    """
    from arena.single import HUMAN
    from arena.strength.levels import check_level
    from protocol.errors import EngineStartError
    from protocol.spec import EngineSpec

    if len(seats) != players:
        raise click.UsageError(
            f"{game_id} has {players} seats: give --seat {players} times, not {len(seats)}"
        )
    people = [seat for seat, text in enumerate(seats) if text == HUMAN]
    settings.check_numbers(f"{game_id} has {players} seats", players, people)
    for seat, text in enumerate(seats):
        name, words = f"seat {seat + 1}", read_command(text, "--seat")
        try:
            check_level(words, game_id)
            yield EngineSpec(name, words) if text == HUMAN else settings.spec(name, words, seat)
        except ValueError as error:
            raise click.UsageError(f"{name}: {error}") from None
        except EngineStartError as error:
            own_words = (HUMAN, *(samples.PREFIX + sample for sample in samples.NAMES))
            meant = did_you_mean(text, own_words) or did_you_mean(samples.PREFIX + text, own_words)
            raise EngineStartError(f"{name}: {error}{meant}") from None


def _ask(prompt: str) -> str:
    """Write the prompt to standard error, and read a line from standard input. EOFError: it has ended."""
    click.echo(prompt, nl=False, err=True)
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line


def _show(arbiter: Arbiter, *, ascii_only: bool) -> None:
    if arbiter.record:
        ply = arbiter.record[-1]
        click.echo(f"\n{arbiter.plies}. player {ply.seat + 1}: {ply.text}  ({ply.time / 1e9:.3f} s)")
    click.echo(arbiter.position.diagram(ascii_only=ascii_only))


def ending(finished: JobFinished) -> str:
    """Describe in one line how a game ended; players are named by their numbers."""
    from arena.scoring import with_names
    from arena.tables.result_text import who_won

    seats = finished.seats
    names = [f"player {number}" for number in range(1, len(seats) + 1)]
    winner = who_won(names, [seat.rank for seat in seats], [seat.forfeit for seat in seats])
    detail = f" ({printable(with_names(finished.detail, names))})" if finished.detail else ""
    return f"{winner}: {finished.reason}{detail}"
