"""Checks of positions and moves for engines that announce additions to UGI (214 to 217)."""

from __future__ import annotations

from protocol.plurals import counted
from protocol.wire.codec import RESIGN
from protocol.wire.messages import Go
from referee.check.catalogue import check
from referee.check.check_context import CheckContext
from referee.check.failures import NoAnswer, Skip
from referee.check.positions import ReachedPosition
from referee.check.report import Severity

__all__: list[str] = []

MUST, SHOULD = Severity.MUST, Severity.SHOULD


@check(
    214,
    "new moves only",
    MUST,
    "with `delta`, play every word of `moves …` on the board, including your own moves",
    capability="delta",
    level=1,
    needs=(201,),
)
async def deltas(context: CheckContext) -> str | None:
    """Play a game, and send only the new moves after the first position. The other seats move at random."""
    async with context.playing() as dialogue:
        book = context.book
        spot: ReachedPosition | None = book.start
        sent = 0
        await dialogue.send_position(book.start)
        for _ in range(10):
            assert spot is not None, "the loop ends with the game"
            answer = await dialogue.think(dialogue.clocks(1000))
            dialogue.judge(answer, spot)
            spot = None if answer.move == RESIGN else book.play(spot, answer.move)
            spot = book.until_turn(spot, 0)
            if spot is None:
                break
            new_moves = spot.moves[sent:]
            sent = len(spot.moves)
            await dialogue.send_moves(spot, new_moves)
        return counted(sent, "move")


@check(
    215,
    "a list of legal moves of 65536 bytes",
    MUST,
    "read a line of up to 65536 bytes: do not use a fixed buffer for `legal`",
    capability="legal",
    level=1,
    needs=(201,),
)
async def long_legal(context: CheckContext) -> str | None:
    """Repeat the legal moves until the line has the longest possible length."""
    return await _move_from_repeated(context, 65_400)


@check(
    216,
    "a list of legal moves on several lines",
    MUST,
    "read `legal+ …` as more moves of the same list, or ignore it: the moves of `legal` are enough",
    capability="legal",
    level=1,
    needs=(215,),
)
async def continued_legal(context: CheckContext) -> str | None:
    """Repeat the legal moves until they need three lines."""
    return await _move_from_repeated(context, 150_000)


async def _move_from_repeated(context: CheckContext, size: int) -> str:
    """Ask for a move at the start, with the legal moves repeated until they fill ``size`` bytes.

    Raises:
        Skip: the engine read the list, but thinks longer. No game has so many moves, so this is no fault.
        Failure: the engine did not read the list, ended, or played no legal move.
    """
    async with context.playing() as dialogue:
        legal = context.book.start.legal()
        length = sum(len(text) + 1 for text in legal)
        legal = (legal * (size // length + 1))[: size * len(legal) // length]
        await dialogue.send_position(context.book.start, legal=legal)
        try:
            answer = await dialogue.think(dialogue.clocks(1000))
        except NoAnswer:
            raise Skip(
                f"it read the list, but needs longer to choose one of {counted(len(legal), 'move')}"
            ) from None
        dialogue.judge(answer, context.book.start)
        return counted(len(legal), "move")


@check(
    217,
    "plays on after a seat is removed",
    MUST,
    "`!K` in a list of moves is not a turn: skip seat K from then on; its clock shows 0",
    level=1,
    players=3,
    needs=(207,),
)
async def removed_seat(context: CheckContext) -> str | None:
    """Ask for moves in a game in which the last seat is removed at the start."""
    removed = context.book.game.info.players - 1
    async with context.playing() as dialogue:
        spots = await context.draw(lambda book: book.without_seat(removed, 6))
        players = context.book.game.info.players
        clocks = tuple(0 if seat == removed else 1000 for seat in range(players))
        for spot in spots:
            await dialogue.move(spot, dialogue.limit or Go(times=clocks, incs=(0,) * players))
        return f"{counted(len(spots), 'position')} without seat {removed + 1}"
