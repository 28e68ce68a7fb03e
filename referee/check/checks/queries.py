"""Checks of ``query`` (6xx), which compare the engine's rules with the referee's."""

from __future__ import annotations

from dataclasses import replace

from protocol.wire.codec import result_word
from protocol.wire.messages import Response
from protocol.words import counted
from referee.check.catalogue import INFO, SHOULD, in_game
from referee.check.conversation import Conversation, Failure, Skip
from referee.check.positions import PositionBook, ReachedPosition
from referee.outcome import Outcome

_ANSWER_SECONDS = 1.0


def _positions_to_ask(book: PositionBook) -> tuple[tuple[ReachedPosition, Outcome | None], ...]:
    """Return positions of running and of finished games, each with its outcome."""
    seats = range(book.game.info.players)
    running = (book.start, *(spot for seat in seats for spot in book.random(f"queries {seat}", 8, seat)))
    ended = ((final, ending) for _, final, ending in book.ended)
    return (*((spot, None) for spot in running), *ended)


async def _expect(engine: Conversation, spot: ReachedPosition, question: str, expected: str) -> None:
    """Ask a question, and compare the words of the answer in any order."""
    answer = await _ask(engine, question)
    if sorted(answer.split()) != sorted(expected.split()):
        raise Failure(
            f"answered `query {question}` with {answer[:60]!r} instead of {expected[:60]!r} at {spot}"
        )


async def _ask(engine: Conversation, question: str) -> str:
    await engine.drop_output()
    await engine.send(f"query {question}")
    reply, _ = await engine.until(Response, "response", _ANSWER_SECONDS)
    return reply.text


async def _ugi_questions(engine: Conversation) -> str:
    """Ask all questions of plain UGI in many positions."""
    count = 0
    for spot, ending in await engine.draw(_positions_to_ask):
        await engine.set_position(spot)
        await _expect(engine, spot, "gameover", "true" if ending else "false")
        await _expect(engine, spot, "result", result_word(ending.ranks) if ending else "none")
        if ending is None:
            await _expect(engine, spot, "p1turn", "true" if spot.position.turn == 0 else "false")
        count += 1
    return counted(count, "position")


@in_game(
    601,
    "UGI's own questions",
    INFO,
    "answer `query gameover`, `p1turn` and `result` with `response …`: other UGI hubs ask them",
)
async def plain_questions(engine: Conversation) -> str | None:
    """Ask the questions of plain UGI, if the engine announces nothing."""
    if engine.spec.dialect != "ugi":
        raise Skip("only UGI has these questions")
    if engine.session.level > 0:
        raise Skip("for level 0; at level 1 the capability `query` has these questions")
    return await _ugi_questions(engine)


@in_game(
    602,
    "agrees on who moves and who won",
    SHOULD,
    "compare your rules with the game's page, at the position in the report",
    capability="query",
)
async def outcomes(engine: Conversation) -> str | None:
    """Compare the answers to ``gameover``, ``result`` and ``p1turn`` with the rules."""
    return await _ugi_questions(engine)


@in_game(
    603,
    "agrees on the legal moves",
    SHOULD,
    "compare your move generator with `arena position`, at the position in the report",
    capability="query",
    explained_by=(602,),
)
async def legal_moves(engine: Conversation) -> str | None:
    """Compare the answers to ``query legal`` and ``query islegal`` with the rules."""
    count = 0
    for spot, ending in await engine.draw(_positions_to_ask):
        if ending is not None:
            continue
        legal = spot.legal()
        await engine.set_position(spot)
        listed = set((await _ask(engine, "legal")).split())
        extra, missing = sorted(listed - set(legal)), sorted(set(legal) - listed)
        if extra or missing:
            raise Failure(
                f"answered `query legal` with {counted(len(extra), 'move')} too many"
                f" ({' '.join(extra[:5])}) and {len(missing)} too few ({' '.join(missing[:5])}) at {spot}"
            )
        await _expect(engine, spot, f"islegal {legal[0]}", "true")
        await _expect(engine, spot, "islegal nonsense", "false")
        count += 1
    return counted(count, "position")


@in_game(
    604,
    "agrees on the position",
    SHOULD,
    "write the position string as the game's page describes it; count seats from 1 in `query turn`",
    capability="query",
    explained_by=(602,),
)
async def positions(engine: Conversation) -> None:
    """Compare the answers to ``query turn`` and ``query fen`` with the rules."""
    for spot, ending in await engine.draw(_positions_to_ask):
        if ending is not None:
            continue
        await engine.set_position(spot)
        await _expect(engine, spot, "turn", str(spot.position.turn + 1))
        fen = await _ask(engine, "fen")
        if fen != str(spot.position):
            raise Failure(f"answered `query fen` with {fen[:80]!r} at {spot}")


@in_game(
    605,
    "a hash belongs to a position",
    SHOULD,
    "`query hash` must depend on the position alone, not on earlier lines or searches",
    capability="query",
    needs=(203,),
    explained_by=(602,),
)
async def hashes(engine: Conversation) -> None:
    """Compare hashes: of one position, sent as moves and as a string, and of different positions."""
    seen: dict[str, str] = {}
    for spot in await engine.spots("hash", 8):
        texts = []
        for as_string in (True,) if engine.uses("fen") else (False, True):
            await engine.set_position(replace(spot, as_string=as_string))
            texts.append(await _ask(engine, "hash"))
        if texts[0] != texts[-1]:
            raise Failure(f"answered `query hash` with {texts[0][:40]!r} and {texts[-1][:40]!r} for {spot}")
        first = seen.setdefault(texts[0], str(spot.position))
        if first != str(spot.position):
            raise Failure(f"answered `query hash` with {texts[0][:40]!r} for {spot} and for '{first}'")
