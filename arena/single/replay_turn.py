"""Replay a turn of a stored game: send an engine the same commands and clocks, and judge its answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import trio

from arena.errors import ArenaError
from arena.model import GameRecord
from protocol.errors import EngineError, EngineOptionError, EngineStartError, HubFault
from protocol.hub.client import EngineClient
from protocol.hub.search import SearchResult
from protocol.hub.transcript import LineObserver, Transcript
from protocol.spec import EngineSpec
from referee import MoveError, PositionError, game
from referee.match.adjudication import Adjudication
from referee.match.arbiter import Arbiter
from referee.match.clock import Clock
from referee.match.forfeits import Forfeit, failure
from referee.match.pool import EnginePool
from referee.match.seats import check_seatable, gameinfo, turn_of
from referee.match.time_control import NS_PER_MS, TimeControl
from referee.outcome import Termination
from referee.ply import Ply

__all__ = ["ReplayedAnswer", "StoredTurn", "ask_engine", "stored_turn"]


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A turn of a stored game, with the clocks that the engine to move had.

    Attributes:
        game: the id of the game.
        seat: the seat to move, 0-based.
        start: the position string at the start of the game; None for the usual start.
        arbiter: the state of the game at this turn. It judges the answer, too.
        info: the items of ``gameinfo`` that the referee offered at the start of the game.
        margin: milliseconds that the engine may exceed its clock.
        played: the ply that the engine played in the stored game; None if it forfeited here.
    """

    game: str
    seat: int
    start: str | None
    arbiter: Arbiter
    info: list[tuple[str, str]]
    margin: int
    played: Ply | None


@dataclass(frozen=True, slots=True)
class ReplayedAnswer:
    """The answer of an engine to a `StoredTurn`.

    Attributes:
        move: the text of its move; None if it sent none.
        fault: the fault that would have lost the game; None for a move that counts.
        reason: a sentence about the fault; "" without one.
        time: nanoseconds until the answer; None without an answer.
        infos: its ``info`` lines, in order.
    """

    move: str | None
    fault: Termination | None
    reason: str
    time: int | None
    infos: tuple[str, ...]


def stored_turn(record: GameRecord, ply: int) -> StoredTurn:
    """Return the turn of ply number ``ply`` of a game, counted from 1.

    The ply after the last one is the turn of the forfeit that ended the game. A game that the rules ended
    has no such turn.

    Raises:
        ArenaError: there is no such turn, or the rules do not accept the game as it is stored.
    """
    players = record.result.players
    controls = [TimeControl.parse(player.time_control) for player in players]
    clock = Clock(controls, [player.margin * NS_PER_MS for player in players])
    number = str(record.result.number + 1)
    infos = [
        gameinfo(number, record.result.game, clock, controls, player.margin, seat)
        for seat, player in enumerate(players)
    ]
    if not 1 <= ply <= len(record.record) + 1:
        last = len(record.record)
        raise ArenaError(
            f"there is no ply {ply}: the game has {last}; if a forfeit ended it, take ply {last + 1}"
        )
    try:
        rules, opening = game(record.result.game), record.opening
        start = rules.start() if opening.position is None else rules.parse_position(opening.position)
        arbiter = Arbiter(
            rules, start, opening.moves, clock, Adjudication(repetition=None, plies=None, no_progress=None)
        )
        for earlier in record.record[: ply - 1]:
            _play_stored(arbiter, earlier)
    except (MoveError, PositionError, ValueError) as error:
        raise ArenaError(f"the rules do not accept the game as it is stored: {error}") from None
    if arbiter.over:
        raise ArenaError(f"there is no ply {ply}: the game was over by then")
    played = record.record[ply - 1] if ply <= len(record.record) else None
    if played is not None and played.seat != arbiter.seat:
        raise ArenaError(
            f"ply {ply}, {played.text}, is not a turn: it removed a seat while another seat had to move"
        )
    return StoredTurn(
        record.result.game,
        arbiter.seat,
        None if opening.position is None else str(start),
        arbiter,
        infos[arbiter.seat],
        players[arbiter.seat].margin,
        None if played is None or played.is_removal else played,
    )


def _play_stored(arbiter: Arbiter, ply: Ply) -> None:
    """Play a stored ply.

    Raises:
        ValueError: the ply is impossible here.
    """
    if ply.is_removal:
        arbiter.on_forfeit({ply.seat: Forfeit(Termination.VOID, "")})
        return
    if ply.seat != arbiter.seat:
        raise ValueError(f"{ply.text} is played by player {ply.seat + 1} out of turn")
    arbiter.on_move(ply.text, 0, ply.time, "")
    if not arbiter.in_play(ply.seat):
        raise ValueError(": ".join(arbiter.last_fault))


async def ask_engine(
    turn: StoredTurn, spec: EngineSpec, trace: LineObserver, warn: Callable[[str, str], None]
) -> ReplayedAnswer:
    """Start an engine, and ask it for its move in a stored turn as a referee does.

    Args:
        turn: the turn. Its arbiter plays the answer, so use each turn only once.
        spec: the engine.
        trace: called with every line in both directions.
        warn: called with the name of the engine and a sentence for the user.

    Raises:
        ExceptionGroup: with an `EngineStartError` or `HubFault`, if the engine could not be started; with an
            `ArenaError`, if it does not take its options.
    """
    infos: list[str] = []

    def observe(seconds: float, direction: str, text: str) -> None:
        if direction == "<" and text.split(maxsplit=1)[:1] == ["info"]:
            infos.append(text)
        trace(seconds, direction, text)

    result, fault, reason = None, None, ""
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, 0, warn)
        try:
            with Transcript(watch=observe) as transcript:
                client = await pool.acquire(spec, turn.game, transcript)
                result = await _think(client, turn, transcript)
        except EngineOptionError as error:
            raise ArenaError(f"the engine {error}") from None
        except (EngineStartError, HubFault):
            raise
        except EngineError as error:
            fault, reason = failure(error)
        finally:
            pool.close()
    if result is None:
        return ReplayedAnswer(None, fault, reason, None, tuple(infos))
    arbiter = turn.arbiter
    arbiter.on_move(result.move, result.started, result.ended, result.info)
    if not arbiter.in_play(turn.seat):
        word, reason = arbiter.last_fault
        fault = Termination(word)
    return ReplayedAnswer(result.move, fault, reason, result.ended - result.started, tuple(infos))


async def _think(client: EngineClient, turn: StoredTurn, transcript: Transcript) -> SearchResult:
    arbiter = turn.arbiter
    check_seatable(client, arbiter.players)
    await client.new_game(turn.info, transcript)
    return await client.think(turn_of(arbiter, turn.start), arbiter.go(), arbiter.budget())
