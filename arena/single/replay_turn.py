"""A turn of a stored game, put before an engine again: the same words, the same clocks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import trio

from arena.errors import ArenaError
from arena.model import GameRecord
from protocol.errors import EngineError, EngineStartError, HubFault
from protocol.hub.client import EngineClient
from protocol.hub.search import SearchResult
from protocol.hub.transcript import LineObserver, Transcript
from protocol.spec import EngineSpec
from referee import MoveError, PositionError, game
from referee.match.adjudication import Adjudication
from referee.match.arbiter import Arbiter
from referee.match.clock import Clock
from referee.match.pool import EnginePool
from referee.match.seats import check_seatable, fault_of, gameinfo, turn_of
from referee.match.time_control import NS_PER_MS, TimeControl
from referee.outcome import Termination
from referee.ply import Ply

__all__ = ["ReplayedAnswer", "StoredTurn", "ask", "revisit"]


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A turn of a stored game, as it was for the engine that had to move.

    Attributes:
        game: the game's id.
        seat: who is to move, 0-based.
        start: the position string that the game began with; None for its own start.
        arbiter: the game so far; judges the answer.
        info: what the engine was told at the start of the game, if it asked.
        margin: milliseconds forgiven past its clock.
        played: what the engine then answered; None where it failed.
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
    """What an engine made of a `StoredTurn`.

    Attributes:
        move: its answer, word for word; None for none.
        fault: what it lost the game by, if it did; None for a move that counts.
        reason: a sentence on that; "" without a fault.
        time: nanoseconds that it took; None where no answer came.
        infos: its ``info`` lines, in order.
    """

    move: str | None
    fault: Termination | None
    reason: str
    time: int | None
    infos: tuple[str, ...]


def revisit(record: GameRecord, ply: int) -> StoredTurn:
    """Set up the turn of ``record`` that is its ply number ``ply``, counted from 1.

    The ply after the last one is the turn in which the game ended, unless the rules ended it.

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
            f"there is no ply {ply}: the game has {last}, and a forfeit that ended it would be ply {last + 1}"
        )
    try:
        rules, opening = game(record.result.game), record.opening
        first = rules.start() if opening.position is None else rules.parse_position(opening.position)
        arbiter = Arbiter(rules, first, opening.moves, clock, Adjudication(repetition=None))
        for entry in record.record[: ply - 1]:
            _repeat(arbiter, entry)
    except (MoveError, PositionError, ValueError) as error:
        raise ArenaError(f"the rules do not accept the game as it is stored: {error}") from None
    if arbiter.over:
        raise ArenaError(f"there is no ply {ply}: the game was over by then")
    start = None if opening.position is None else str(first)
    played = record.record[ply - 1] if ply <= len(record.record) else None
    if played is not None and played.seat != arbiter.seat:
        raise ArenaError(f"ply {ply}, {played.text}, was nobody's turn: the seat was removed out of turn")
    return StoredTurn(
        record.result.game,
        arbiter.seat,
        start,
        arbiter,
        infos[arbiter.seat],
        players[arbiter.seat].margin,
        None if played is None or played.is_removal else played,
    )


def _repeat(arbiter: Arbiter, entry: Ply) -> None:
    """Play a stored ply.

    Raises:
        ValueError: it is not possible here.
    """
    if entry.is_removal:
        arbiter.on_forfeit({entry.seat: (Termination.VOID, "")})
        return
    if entry.seat != arbiter.seat:
        raise ValueError(f"{entry.text} is played by player {entry.seat + 1} out of turn")
    arbiter.on_move(entry.text, 0, entry.time, "")
    if not arbiter.in_play(entry.seat):
        raise ValueError(": ".join(arbiter.last_fault))


async def ask(
    moment: StoredTurn, spec: EngineSpec, watch: LineObserver, warn: Callable[[str, str], None]
) -> ReplayedAnswer:
    """Start an engine, and put the moment before it as a referee does.

    Args:
        moment: where; its arbiter takes the move, so it serves once.
        spec: the engine.
        watch: is told every line that is said.
        warn: is told (engine, sentence) what the user should know.

    Raises:
        EngineStartError, HubFault: it could not be started.
    """
    infos: list[str] = []

    def listen(seconds: float, direction: str, text: str) -> None:
        if direction == "<" and text.split(maxsplit=1)[:1] == ["info"]:
            infos.append(text)
        watch(seconds, direction, text)

    thought, fault, reason = None, None, ""
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, 0, warn)
        try:
            with Transcript(watch=listen) as transcript:
                client = await pool.acquire(spec, moment.game, transcript)
                thought = await _think(client, moment, transcript)
        except (EngineStartError, HubFault):
            raise
        except EngineError as error:
            fault, reason = fault_of(error), str(error)
        finally:
            pool.close()
    if thought is None:
        return ReplayedAnswer(None, fault, reason, None, tuple(infos))
    arbiter = moment.arbiter
    arbiter.on_move(thought.move, thought.started, thought.ended, thought.info)
    if not arbiter.in_play(moment.seat):
        word, reason = arbiter.last_fault
        fault = Termination(word)
    return ReplayedAnswer(thought.move, fault, reason, thought.ended - thought.started, tuple(infos))


async def _think(client: EngineClient, moment: StoredTurn, transcript: Transcript) -> SearchResult:
    arbiter = moment.arbiter
    check_seatable(client, arbiter.players)
    await client.new_game(moment.info, transcript)
    return await client.think(turn_of(arbiter, moment.start), arbiter.go(), arbiter.budget())
