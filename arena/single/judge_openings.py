"""Openings that an engine holds for level: drawn at random, looked at, kept or dropped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import trio

from arena.errors import OpeningError
from arena.model import Opening
from arena.opening_book import OpeningBook
from protocol.errors import EngineError
from protocol.hub.client import EngineClient
from protocol.plurals import counted
from protocol.spec import EngineSpec
from referee.game import Game
from referee.match.adjudication import Adjudication, centipawns
from referee.match.arbiter import Arbiter
from referee.match.clock import Clock
from referee.match.pool import EnginePool
from referee.match.seats import check_seatable, gameinfo, turn_of
from referee.match.time_control import NS_PER_MS, TimeControl

__all__ = ["OpeningJudge", "choose"]

_TRIES = 100
"""Openings that are looked at for each one that is wanted, before the window is called too narrow."""


@dataclass(frozen=True, slots=True)
class OpeningJudge:
    """Who judges openings, and how strictly.

    Attributes:
        engine: reports a score with its move.
        control: how long it may look at each opening.
        window: centipawns that its score may be away from 0.
    """

    engine: EngineSpec
    control: TimeControl
    window: int


async def choose(
    game: Game,
    book: OpeningBook,
    count: int,
    judge: OpeningJudge,
    keep: Callable[[Opening, int], None],
    warn: Callable[[str, str], None],
) -> int:
    """Draw openings until so many are balanced, and say how many were looked at.

    Args:
        game: the rules.
        book: where openings come from, by number.
        count: how many are wanted.
        judge: the engine and its window.
        keep: takes each opening that is kept, with its score for the player to move.
        warn: is told (engine, sentence) what the user should know.

    Raises:
        OpeningError: too few are balanced, or the engine fails, or it reports no score.
    """
    kept = number = 0
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, 0, warn)
        try:
            client = await pool.acquire(judge.engine, game.info.id)
            while kept < count:
                if number >= count * _TRIES:
                    raise OpeningError(
                        f"only {kept} of {counted(number, 'opening')} within "
                        f"{counted(judge.window, 'centipawn')}; "
                        "widen the window, or take more plies"
                    )
                opening = book.opening(number)
                number += 1
                score = await _score(game, opening, judge, client)
                if abs(score) <= judge.window:
                    kept += 1
                    keep(opening, score)
        except EngineError as error:
            raise OpeningError(f"the filter: {error}") from error
        finally:
            pool.close()
    return number


async def _score(game: Game, opening: Opening, judge: OpeningJudge, client: EngineClient) -> int:
    """What the engine reports of a position, for the player to move."""
    start = game.start() if opening.position is None else game.parse_position(opening.position)
    players = game.info.players
    controls, margin = [judge.control] * players, judge.engine.margin
    clock = Clock(controls, [margin * NS_PER_MS] * players)
    arbiter = Arbiter(game, start, opening.moves, clock, Adjudication(repetition=None))
    check_seatable(client, players)
    await client.new_game(gameinfo("filter", game.info.id, clock, controls, margin, arbiter.seat))
    thought = await client.think(turn_of(arbiter, opening.position), arbiter.go(), arbiter.budget())
    score = centipawns(thought.info)
    if score is None:
        raise OpeningError(
            f"the engine reported no score with its move {thought.move}; "
            "the filter needs `info ... score cp N` or `score mate N` before `bestmove`"
        )
    return score
