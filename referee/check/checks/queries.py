"""Checks of ``query`` (6xx), which compare the engine's rules with the referee's."""

from __future__ import annotations

from dataclasses import replace

from protocol.wire.codec import result_word
from protocol.wire.messages import Response
from protocol.words import counted
from referee.check.catalogue import INFO, SHOULD, CheckContext, check
from referee.check.conversation import Conversation, Failure, Skip
from referee.check.positions import PositionBook, ReachedPosition
from referee.outcome import Outcome

_ANSWER_SECONDS = 1.0


def _positions_to_ask(book: PositionBook) -> tuple[tuple[ReachedPosition, Outcome | None], ...]:
    """Return positions of running and of finished games, each with its outcome."""
    seats = range(book.game.info.players)
    running = (book.start, *(spot for seat in seats for spot in book.random(f"queries {seat}", 8, seat)))
    return (*((spot, None) for spot in running), *book.ended)


async def _expect(dialogue: Conversation, spot: ReachedPosition, question: str, expected: str) -> None:
    """Ask a question, and compare the words of the answer in any order."""
    answer = await _ask(dialogue, question)
    if sorted(answer.split()) != sorted(expected.split()):
        raise Failure(
            f"answered `query {question}` with {answer[:60]!r} instead of {expected[:60]!r} at {spot}"
        )


async def _ask(dialogue: Conversation, question: str) -> str:
    await dialogue.drop_output()
    await dialogue.send(f"query {question}")
    reply, _ = await dialogue.until(Response, "response", _ANSWER_SECONDS)
    return reply.text


async def _ugi_questions(context: CheckContext) -> str:
    """Ask all questions of plain UGI in many positions."""
    count = 0
    async with context.playing() as dialogue:
        for spot, ending in await context.draw(_positions_to_ask):
            await dialogue.say(dialogue.position_message(spot))
            await _expect(dialogue, spot, "gameover", "true" if ending else "false")
            await _expect(dialogue, spot, "result", result_word(ending.ranks) if ending else "none")
            if ending is None:
                await _expect(dialogue, spot, "p1turn", "true" if spot.position.turn == 0 else "false")
            count += 1
    return counted(count, "position")


@check(
    601,
    "UGI's own questions",
    INFO,
    "answer `query gameover`, `p1turn` and `result` with `response …`: other UGI hubs ask them",
)
async def plain_questions(context: CheckContext) -> str | None:
    """Ask the questions of plain UGI, if the engine announces nothing."""
    if context.subject.spec.dialect != "ugi":
        raise Skip("only UGI has these questions")
    if context.subject.session is not None and context.subject.session.level > 0:
        raise Skip("for level 0; at level 1 the capability `query` has these questions")
    return await _ugi_questions(context)


@check(
    602,
    "agrees on who moves and who won",
    SHOULD,
    "compare your rules with the game's page, at the position in the report",
    capability="query",
)
async def outcomes(context: CheckContext) -> str | None:
    """Compare the answers to ``gameover``, ``result`` and ``p1turn`` with the rules."""
    return await _ugi_questions(context)


@check(
    603,
    "agrees on the legal moves",
    SHOULD,
    "compare your move generator with `arena position`, at the position in the report",
    capability="query",
    explained_by=(602,),
)
async def legal_moves(context: CheckContext) -> str | None:
    """Compare the answers to ``query legal`` and ``query islegal`` with the rules."""
    async with context.playing() as dialogue:
        count = 0
        for spot, ending in await context.draw(_positions_to_ask):
            if ending is not None:
                continue
            legal = spot.legal()
            await dialogue.say(dialogue.position_message(spot))
            listed = set((await _ask(dialogue, "legal")).split())
            extra, missing = sorted(listed - set(legal)), sorted(set(legal) - listed)
            if extra or missing:
                raise Failure(
                    f"answered `query legal` with {counted(len(extra), 'move')} too many"
                    f" ({' '.join(extra[:5])}) and {len(missing)} too few ({' '.join(missing[:5])}) at {spot}"
                )
            await _expect(dialogue, spot, f"islegal {legal[0]}", "true")
            await _expect(dialogue, spot, "islegal nonsense", "false")
            count += 1
        return counted(count, "position")


@check(
    604,
    "agrees on the position",
    SHOULD,
    "write the position string as the game's page describes it; count seats from 1 in `query turn`",
    capability="query",
    explained_by=(602,),
)
async def positions(context: CheckContext) -> None:
    """Compare the answers to ``query turn`` and ``query fen`` with the rules."""
    async with context.playing() as dialogue:
        for spot, ending in await context.draw(_positions_to_ask):
            if ending is not None:
                continue
            await dialogue.say(dialogue.position_message(spot))
            await _expect(dialogue, spot, "turn", str(spot.position.turn + 1))
            fen = await _ask(dialogue, "fen")
            if fen != str(spot.position):
                raise Failure(f"answered `query fen` with {fen[:80]!r} at {spot}")


@check(
    605,
    "a hash belongs to a position",
    SHOULD,
    "`query hash` must depend on the position alone, not on earlier lines or searches",
    capability="query",
    needs=(203,),
    explained_by=(602,),
)
async def hashes(context: CheckContext) -> None:
    """Compare hashes: of one position, sent as moves and as a string, and of different positions."""
    async with context.playing() as dialogue:
        seen: dict[str, str] = {}
        for spot in await context.spots("hash", 8):
            texts = []
            for as_string in (True,) if dialogue.uses("fen") else (False, True):
                await dialogue.say(dialogue.position_message(replace(spot, as_string=as_string)))
                texts.append(await _ask(dialogue, "hash"))
            if texts[0] != texts[-1]:
                raise Failure(
                    f"answered `query hash` with {texts[0][:40]!r} and {texts[-1][:40]!r} for {spot}"
                )
            first = seen.setdefault(texts[0], str(spot.position))
            if first != str(spot.position):
                raise Failure(f"answered `query hash` with {texts[0][:40]!r} for {spot} and for '{first}'")
