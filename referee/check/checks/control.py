"""``stop``, ``ping`` and what is told for information (4xx)."""

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
_OBEYED = 1.0  # seconds that `stop` may take
_AT_ONCE = 0.5  # seconds that a ping may take; a busy machine is no engine's fault
_QUIET = 0.3


async def _one_move(player: GameDialogue, seconds: float, asked: str) -> None:
    """Exactly one ``bestmove``, in time."""
    try:
        await player.finish(seconds)
    except NoAnswer:
        raise Failure(f"did not move within {seconds:g} s {asked}") from None
    after = await player.talk.listen(_QUIET)
    if after:
        raise Failure(f"went on after its move {asked}: {after[0].text[:80]!r}")


@check(
    401,
    "stop ends a search",
    MUST,
    "look for input while searching, and answer `stop` with the best move so far",
    capability="stop",
    level=1,
    needs=(212,),
)
async def stops(bench: CheckContext) -> str | None:
    """200 ms into a search with an hour on the clock."""
    async with bench.playing() as player:
        await player.begin_search()
        early = [line for line in await player.talk.listen(0.2) if line.text.startswith("bestmove")]
        if early:
            return "it had moved before"
        await player.talk.say(Stop())
        await _one_move(player, _OBEYED, "after `stop`")
        return None


@check(
    402,
    "stop directly after go",
    MUST,
    "remember a `stop` that comes before the search has begun, and have a move at hand",
    capability="stop",
    level=1,
    needs=(401,),
)
async def stops_at_once(bench: CheckContext) -> str | None:
    """In the same write as ``go``."""
    async with bench.playing() as player:
        await player.show(bench.book.start)
        player.talk.new_turn()
        await player.talk.say(player.clocks(HOUR), Stop())
        await _one_move(player, _OBEYED, "after `go` and `stop` in one write")
        return None


@check(
    403,
    "stop while idle",
    MUST,
    "ignore `stop` when nothing is searched: it may have crossed the move on the way",
    capability="stop",
    level=1,
    needs=(201,),
)
async def stop_idle(bench: CheckContext) -> str | None:
    """It is not answered, and does not spoil the next search."""
    async with bench.playing() as player:
        player.talk.new_turn()
        await player.talk.say(Stop(), Stop())
        said = await player.talk.listen(_QUIET)
        if said:
            raise Failure(f"answered an idle `stop`: {said[0].text[:80]!r}")
        await player.move(bench.book.start)
        return None


@check(
    404,
    "isready during a search",
    MUST,
    "answer `isready` at once while searching, from the thread that reads, and go on searching",
    capability="ping",
    level=1,
    needs=(201,),
)
async def pings(bench: CheckContext) -> str | None:
    """Answered at once, and the move still comes, once."""
    async with bench.playing() as player:
        await player.begin_search(20_000)
        await trio.sleep(0.1)
        await player.talk.say(IsReady())
        moves = 0
        deadline = trio.current_time() + _AT_ONCE
        while (line := await player.talk.line(deadline - trio.current_time())) is not None:
            reply = parse_reply(line.text)
            moves += isinstance(reply, BestMove)
            if isinstance(reply, ReadyOk):
                break
        else:
            raise Failure(f"did not answer `isready` within {_AT_ONCE:g} s during a search")
        if not moves:
            await player.finish(20 + bench.subject.patience.answer)
        return "it had moved before" if moves else None


@check(
    405,
    "lines stay whole",
    MUST,
    "write every line in one piece, under a lock if two threads write",
    capability="ping",
    level=1,
    needs=(404,),
)
async def whole_lines(bench: CheckContext) -> str | None:
    """Fifty pings in a search: each answer is a line of its own."""
    async with bench.playing() as player:
        await player.begin_search(5000)
        ready, moves = 0, 0
        for _ in range(50):
            await player.talk.say(IsReady())
            await trio.sleep(0.004)
        while ready < 50 or not moves:
            line = await player.talk.line(5 + bench.subject.patience.answer)
            if line is None:
                raise Failure(f"answered {ready} of 50 `isready` during a search")
            reply = parse_reply(line.text)
            ready += isinstance(reply, ReadyOk)
            moves += isinstance(reply, BestMove)
            torn = re.search(r"\S(readyok|bestmove)|readyok.", line.text)
            if torn:
                raise Failure(f"printed a line that is none: {line.text[:80]!r}")
        return None


@check(
    406,
    "gameover is not answered",
    SHOULD,
    "take note of `gameover` or ignore it, without a word",
    capability="result",
    level=1,
    needs=(206,),
)
async def game_over(bench: CheckContext) -> str | None:
    """Then another game begins."""
    async with bench.playing() as player:
        ranks = tuple(range(1, bench.book.game.info.players + 1)) if bench.book.game.info.players > 2 else ()
        await _told(player, GameOver("p1win", ranks, "resign"))
        return None


@check(
    407,
    "error is not answered",
    SHOULD,
    "write the text of `error` to standard error, for yourself, and go on",
    capability="errors",
    level=1,
    needs=(206,),
)
async def errors(bench: CheckContext) -> str | None:
    """The hub reports an illegal move that was none."""
    async with bench.playing() as player:
        await _told(player, ErrorReport("illegal", "this is a test: nothing was wrong"))
        return None


async def _told(player: GameDialogue, message: GameOver | ErrorReport) -> None:
    player.talk.new_turn()
    await player.talk.say(message)
    said = await player.talk.listen(_QUIET)
    if said:
        raise Failure(f"answered with {said[0].text[:80]!r}")
    await player.new_game()
