"""Choose balanced openings: an engine scores each opening, and the openings with a score near 0 are kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import trio

from arena.errors import OpeningError
from arena.model import Opening
from arena.openings.book import OpeningBook
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

__all__ = ["OpeningJudge", "choose_openings"]

_TRIES = 100
"""How many openings are judged for each wanted opening before the search ends with an error."""


@dataclass(frozen=True, slots=True)
class OpeningJudge:
    """The engine that judges openings, and its limits.

    Attributes:
        engine: the engine. It must report a score with its move.
        control: the time control for each opening.
        window: the largest distance of a kept opening's score from 0, in centipawns.
    """

    engine: EngineSpec
    control: TimeControl
    window: int


async def choose_openings(
    game: Game,
    book: OpeningBook,
    count: int,
    judge: OpeningJudge,
    keep: Callable[[Opening, int], None],
    warn: Callable[[str, str], None],
) -> int:
    """Judge the openings of a book until ``count`` of them are balanced.

    Args:
        game: the rules.
        book: the openings, by number.
        count: the number of openings to keep.
        judge: the engine and its window.
        keep: called with each kept opening and its score in centipawns for the player to move.
        warn: called with the name of the engine and a sentence for the user.

    Returns:
        The number of openings that were judged.

    Raises:
        ExceptionGroup: with an `OpeningError`, if too few openings are balanced, the engine fails, or it
            reports no score.
    """
    kept = number = 0
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, 0, warn)
        try:
            client = await pool.acquire(judge.engine, game.info.id)
            while kept < count:
                if number >= count * _TRIES:
                    raise OpeningError(
                        f"only {kept} of {counted(number, 'opening')} are within "
                        f"{counted(judge.window, 'centipawn')} of 0; "
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
    """Return the engine's score of an opening, in centipawns for the player to move."""
    start = game.start() if opening.position is None else game.parse_position(opening.position)
    players = game.info.players
    controls, margin = [judge.control] * players, judge.engine.margin
    clock = Clock(controls, [margin * NS_PER_MS] * players)
    arbiter = Arbiter(
        game, start, opening.moves, clock, Adjudication(repetition=None, plies=None, no_progress=None)
    )
    check_seatable(client, players)
    await client.new_game(gameinfo("filter", game.info.id, clock, controls, margin, arbiter.seat))
    result = await client.think(turn_of(arbiter, opening.position), arbiter.go(), arbiter.budget())
    score = centipawns(result.info)
    if score is None:
        raise OpeningError(
            f"the engine reported no score with its move {result.move}; "
            "the filter needs `info ... score cp N` or `score mate N` before `bestmove`"
        )
    return score
