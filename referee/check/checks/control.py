"""Checks of ``stop``, of ``isready`` during a search, and of ``gameover`` and ``error`` (4xx)."""

from __future__ import annotations

import re

import trio

from protocol.wire.codec import parse_reply
from protocol.wire.messages import BestMove, ErrorReport, GameOver, IsReady, ReadyOk, Stop
from referee.check.catalogue import check
from referee.check.check_context import CheckContext
from referee.check.failures import Failure, NoAnswer
from referee.check.game_dialogue import HOUR, GameDialogue
from referee.check.report import Severity

__all__: list[str] = []

MUST, SHOULD = Severity.MUST, Severity.SHOULD
_STOP_SECONDS = 1.0  # time for the answer to `stop`
_PING_SECONDS = 0.5  # time for the answer to `isready`; long enough for a busy machine
_QUIET = 0.3  # seconds in which no line may come


async def _one_move(dialogue: GameDialogue, seconds: float, occasion: str) -> None:
    """Wait for exactly one ``bestmove``.

    Raises:
        Failure: no move comes in time, or more lines come after it.
    """
    try:
        await dialogue.finish(seconds)
    except NoAnswer:
        raise Failure(f"did not move within {seconds:g} s {occasion}") from None
    after = await dialogue.conversation.listen(_QUIET)
    if after:
        raise Failure(f"printed more lines after its move {occasion}: {after[0].text[:80]!r}")


@check(
    401,
    "stop ends a search",
    MUST,
    "read input while searching, and answer `stop` with the best move so far",
    capability="stop",
    level=1,
    needs=(212,),
)
async def stops(context: CheckContext) -> str | None:
    """Send ``stop`` 200 ms after ``go``, with an hour on the clock."""
    async with context.playing() as dialogue:
        await dialogue.begin_search()
        early = [line for line in await dialogue.conversation.listen(0.2) if line.text.startswith("bestmove")]
        if early:
            return "it had moved already"
        await dialogue.conversation.say(Stop())
        await _one_move(dialogue, _STOP_SECONDS, "after `stop`")
        return None


@check(
    402,
    "stop directly after go",
    MUST,
    "remember a `stop` that comes before the search has begun, and have a move ready",
    capability="stop",
    level=1,
    needs=(401,),
)
async def stops_at_once(context: CheckContext) -> str | None:
    """Send ``stop`` in the same write as ``go``."""
    async with context.playing() as dialogue:
        await dialogue.send_position(context.book.start)
        dialogue.conversation.new_turn()
        await dialogue.conversation.say(dialogue.long(HOUR), Stop())
        await _one_move(dialogue, _STOP_SECONDS, "after `go` and `stop` in one write")
        return None


@check(
    403,
    "stop while idle",
    MUST,
    "ignore `stop` while no search runs: the hub may send it before it reads your move",
    capability="stop",
    level=1,
    needs=(201,),
    explained_by=(117,),
)
async def stop_idle(context: CheckContext) -> str | None:
    """Send ``stop`` without a search. The engine must not answer it, and the next search must work."""
    async with context.playing() as dialogue:
        dialogue.conversation.new_turn()
        await dialogue.conversation.say(Stop(), Stop())
        lines = await dialogue.conversation.listen(_QUIET)
        if lines:
            raise Failure(f"answered `stop` without a search: {lines[0].text[:80]!r}")
        await dialogue.move(context.book.start)
        return None


@check(
    404,
    "isready during a search",
    MUST,
    "answer `isready` at once while searching, from the thread that reads, and continue the search",
    capability="ping",
    level=1,
    needs=(201,),
)
async def pings(context: CheckContext) -> str | None:
    """Send ``isready`` during a search. The engine must answer at once, and must still send one move."""
    async with context.playing() as dialogue:
        await dialogue.begin_search(20_000)
        await trio.sleep(0.1)
        await dialogue.conversation.say(IsReady())
        moves = 0
        deadline = trio.current_time() + _PING_SECONDS
        while (line := await dialogue.conversation.line(deadline - trio.current_time())) is not None:
            reply = parse_reply(line.text)
            moves += isinstance(reply, BestMove)
            if isinstance(reply, ReadyOk):
                break
        else:
            raise Failure(f"did not answer `isready` within {_PING_SECONDS:g} s during a search")
        if not moves:
            await dialogue.finish(20 + context.subject.patience.answer)
        return "it had moved already" if moves else None


@check(
    405,
    "lines stay whole",
    MUST,
    "write every line in one piece; use a lock if two threads write",
    capability="ping",
    level=1,
    needs=(404,),
)
async def whole_lines(context: CheckContext) -> str | None:
    """Send ``isready`` fifty times during a search. Each answer must be a line of its own."""
    async with context.playing() as dialogue:
        await dialogue.begin_search(5000)
        ready, moves = 0, 0
        for _ in range(50):
            await dialogue.conversation.say(IsReady())
            await trio.sleep(0.004)
        while ready < 50 or not moves:
            line = await dialogue.conversation.line(5 + context.subject.patience.answer)
            if line is None:
                missing = "did not move after" if ready == 50 else f"answered {ready} of"
                raise Failure(f"{missing} 50 `isready` during a search")
            reply = parse_reply(line.text)
            ready += isinstance(reply, ReadyOk)
            moves += isinstance(reply, BestMove)
            torn = re.search(r"\S(readyok|bestmove)|readyok.", line.text)
            if torn:
                raise Failure(f"printed a broken line: {line.text[:80]!r}")
        return None


@check(
    406,
    "gameover is not answered",
    SHOULD,
    "read `gameover` or ignore it, and print nothing",
    capability="result",
    level=1,
    needs=(206,),
    explained_by=(117,),
)
async def game_over(context: CheckContext) -> str | None:
    """Send ``gameover``, then begin another game."""
    async with context.playing() as dialogue:
        ranks = (
            tuple(range(1, context.book.game.info.players + 1)) if context.book.game.info.players > 2 else ()
        )
        await _notify(dialogue, GameOver("p1win", ranks, "resign"))
        return None


@check(
    407,
    "error is not answered",
    SHOULD,
    "write the text of `error` to standard error and continue",
    capability="errors",
    level=1,
    needs=(206,),
    explained_by=(117,),
)
async def errors(context: CheckContext) -> str | None:
    """Send ``error`` although the engine did nothing wrong."""
    async with context.playing() as dialogue:
        await _notify(dialogue, ErrorReport("illegal", "this is a test: nothing was wrong"))
        return None


async def _notify(dialogue: GameDialogue, message: GameOver | ErrorReport) -> None:
    """Send a message that needs no answer, then begin a new game."""
    dialogue.conversation.new_turn()
    await dialogue.conversation.say(message)
    lines = await dialogue.conversation.listen(_QUIET)
    if lines:
        raise Failure(f"answered with {lines[0].text[:80]!r}")
    await dialogue.new_game()
