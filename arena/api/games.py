"""Play one game."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from os import PathLike, fspath

import trio

from arena.api.calls import blocking, plain_errors
from arena.api.engines import Engine, find_engine
from arena.errors import ArenaError
from arena.model import GameRecord
from arena.single.play import play_one
from arena.single.recording import single_record
from referee import game as find_game
from referee.match.arbiter import Arbiter
from referee.match.job import Job, JobSeat
from referee.match.time_control import USUAL
from referee.outcome import Termination
from referee.ply import Ply

__all__ = ["play_game", "play_game_async"]

_SINGLE = "game"
"""The id of the only game, in the names of its transcripts."""


async def play_game_async(
    game: str,
    engines: Sequence[Engine],
    *,
    time_control: str = USUAL,
    setup: str | None = None,
    position: str | None = None,
    moves: Iterable[str] = (),
    log: str | PathLike[str] | None = None,
    on_move: Callable[[Ply], object] | None = None,
    on_warning: Callable[[str, str], object] | None = None,
) -> GameRecord:
    """Play one game between engines. It is not stored.

    If the caller is cancelled, all engines are killed, and there is no result.

    Args:
        game: the id of the game, as in ``arena games``.
        engines: one engine for each seat: a command, or the keys of ``[[engines]]`` in a tournament file.
        time_control: the time control of engines without their own, as in a tournament file.
        setup: the name of a start position.
        position: a position string to start from, instead of a set-up.
        moves: an opening, played before the engines begin.
        log: a folder for transcripts of the dialogue with each engine.
        on_move: called with every ply that an engine plays.
        on_warning: called with the name of an engine and a sentence, for example about an unknown option.

    Returns:
        The game. A crash or an illegal move of an engine is a result: the engine has lost.

    Raises:
        ArenaError: an argument is wrong, an engine cannot be started, or the machine failed.
    """
    with plain_errors():
        rules = find_game(game)
        if len(engines) != rules.info.players:
            raise ArenaError(f"{game} has {rules.info.players} seats, but there are {len(engines)} engines")
        seats = await trio.to_thread.run_sync(_seats, engines, time_control)
        job = Job(
            _SINGLE,
            game,
            seats,
            setup=setup,
            position=position,
            moves=tuple(moves),
            log=None if log is None else fspath(log),
        )
        shown = 0

        def observe(arbiter: Arbiter) -> None:
            nonlocal shown
            for ply in arbiter.record[shown:]:
                shown += 1
                if on_move is not None:
                    on_move(ply)

        def warn(name: str, text: str) -> None:
            if on_warning is not None:
                on_warning(name, text)

        finished = await play_one(job, {}, observe, warn)
        if finished.termination is Termination.VOID:
            raise ArenaError(f"the game is void, and no engine is at fault: {finished.detail}")
        return single_record(job, finished)


play_game = blocking(play_game_async)


def _seats(engines: Sequence[Engine], time_control: str) -> tuple[JobSeat, ...]:
    """Return the seats of the engines, which are called after their numbers if they have no name."""
    seats = []
    for number, engine in enumerate(engines, 1):
        spec, keys = find_engine(engine, f"seat {number}")
        seats.append(JobSeat(spec, str(keys.time_control or time_control)))
    return tuple(seats)
