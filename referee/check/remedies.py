"""Find out whether an engine that fails a check passes it with other settings, so that the advice can say so.

Many engines from elsewhere need one setting: another dialect, no clock, or positions without moves.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Final

import trio

from protocol.wire.codec import LINE_DIALECTS, Dialect, format_command, parse_reply
from protocol.wire.messages import Go, Hello, HelloOk
from referee.check.check_context import CheckContext
from referee.check.failures import Failure

__all__ = ["explaining", "needs_no_moves", "speaks_another_dialect", "uses_no_clock"]

_Body = Callable[[CheckContext], Awaitable[str | None]]
_Explain = Callable[[CheckContext, Failure], Awaitable[Failure | None]]

_GREETING: Final = 1.0
"""The most seconds to wait for the answer to a greeting in another dialect."""

_LIMITS: Final = (("movetime=0.2", Go(movetime=200)), ("depth=1", Go(depth=1)))
"""The limits that engines without a clock may know, as time controls and as commands."""


def explaining(explain: _Explain) -> Callable[[_Body], _Body]:
    """Decorate the body of a check: a failure is replaced by the better one that ``explain`` returns, if any.

    The evidence stays that of the first failure.
    """

    def decorate(body: _Body) -> _Body:
        @wraps(body)
        async def explained(context: CheckContext) -> str | None:
            try:
                return await body(context)
            except Failure as failure:
                conversation = context.conversation
                better = await explain(context, failure)
                context.conversation = conversation
                raise better or failure from None

        return explained

    return decorate


async def speaks_another_dialect(context: CheckContext, _failure: Failure) -> Failure | None:
    """After a missing ``ugiok``, and after an early end, greet the engine in the other dialects."""
    dialect = context.subject.spec.dialect
    answered: list[Dialect] = []
    async with trio.open_nursery() as nursery:
        for other in LINE_DIALECTS:
            if other != dialect:
                nursery.start_soon(_greet, context, other, answered)
    for other in answered:
        return Failure(
            f"does not answer `{dialect}`, but it answers `{other}` with `{other}ok`: it speaks"
            f" {other.upper()}",
            f'add --dialect {other}; in a tournament file, write dialect = "{other}"',
        )
    return None


async def _greet(context: CheckContext, dialect: Dialect, answered: list[Dialect]) -> None:
    """Greet a new process of the engine in a dialect, and add the dialect to ``answered`` if it answers."""
    try:
        async with context.start() as conversation:
            await conversation.send(format_command(Hello(), dialect))
            with trio.move_on_after(min(context.subject.patience.answer, _GREETING)):
                while (line := await conversation.line(math.inf)) is not None:
                    if isinstance(parse_reply(line.text, dialect), HelloOk):
                        answered.append(dialect)
                        return
    except Failure:
        pass


async def uses_no_clock(context: CheckContext, failure: Failure) -> Failure | None:
    """After a failure at the start, ask for the same move with limits other than a clock."""
    if context.subject.limit is not None:
        return None
    for text, go in _LIMITS:
        try:
            async with context.playing() as dialogue:
                await dialogue.move(context.book.start, go)
        except Failure:
            continue
        command = format_command(go)
        return Failure(
            f"{failure}; but it answers `{command}` with a legal move, so it seems to know no clocks",
            f'check it with --time-control {text}, and write time_control = "{text}" in a tournament file',
        )
    return None


async def needs_no_moves(context: CheckContext, failure: Failure) -> Failure | None:
    """After a failure in positions sent as moves, send the same positions as position strings."""
    if context.subject.uses("fen") or context.subject.uses("delta"):
        return None
    try:
        async with context.playing() as dialogue:
            for spot in await context.draw(lambda book: book.random("moves", 30, 0)):
                await dialogue.move(spot, form="fen")
    except Failure:
        return None
    return Failure(
        f"{failure}; but it plays legal moves in the same positions sent as strings, so it seems to ignore"
        " the moves after `position startpos`",
        'play the moves of `position startpos moves …`; or write position = "fen" for this engine in a'
        " tournament file",
    )
