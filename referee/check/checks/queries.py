"""Questions about the rules (6xx): the hub never needs the answers, authors do."""

from __future__ import annotations

from protocol.plurals import counted
from protocol.wire.codec import result_word
from protocol.wire.messages import Query, Response
from referee.check.catalogue import check
from referee.check.check_context import CheckContext
from referee.check.failures import Failure, Skip
from referee.check.game_dialogue import GameDialogue
from referee.check.positions import PositionBook, ReachedPosition
from referee.check.report import Severity
from referee.outcome import Outcome

__all__: list[str] = []

SHOULD, INFO = Severity.SHOULD, Severity.INFO
_ANSWERED = 1.0  # seconds


def _asked(book: PositionBook) -> tuple[tuple[ReachedPosition, Outcome | None], ...]:
    """Positions of running and of finished games."""
    seats = range(book.game.info.players)
    running = (book.start, *(spot for seat in seats for spot in book.random(f"queries {seat}", 8, seat)))
    return (*((spot, None) for spot in running), *book.ended)


async def _expect(player: GameDialogue, spot: ReachedPosition, question: str, expected: str) -> None:
    """Ask, and compare the words; their order does not count."""
    answer = await _ask(player, question)
    if sorted(answer.split()) != sorted(expected.split()):
        raise Failure(
            f"answered `query {question}` with {answer[:60]!r} instead of {expected[:60]!r} at {spot}"
        )


async def _ask(player: GameDialogue, question: str) -> str:
    player.talk.new_turn()
    await player.talk.say(Query(question))
    reply, _ = await player.talk.until(Response, "response", _ANSWERED)
    return reply.text


async def _ugi_questions(bench: CheckContext) -> str:
    """Put all of them in many positions."""
    count = 0
    async with bench.playing() as player:
        for spot, ending in await bench.draw(_asked):
            await player.talk.say(player.position(spot))
            await _expect(player, spot, "gameover", "true" if ending else "false")
            await _expect(player, spot, "result", result_word(ending.ranks) if ending else "none")
            if ending is None:
                await _expect(player, spot, "p1turn", "true" if spot.position.turn == 0 else "false")
            count += 1
    return counted(count, "position")


@check(
    601,
    "UGI's own questions",
    INFO,
    "answer `query gameover`, `p1turn` and `result` with `response …` for UGI's own match runners",
)
async def plain_questions(bench: CheckContext) -> str | None:
    """Of an engine that announces nothing."""
    if bench.subject.greeting is not None and bench.subject.greeting.level > 0:
        raise Skip("for level 0; at level 1 there is the capability `query`")
    return await _ugi_questions(bench)


@check(
    602,
    "agrees on who moves and who won",
    SHOULD,
    "compare your rules with the game's page at the position that is named",
    capability="query",
    level=1,
)
async def outcomes(bench: CheckContext) -> str | None:
    """``gameover``, ``result`` and ``p1turn`` against our rules."""
    return await _ugi_questions(bench)


@check(
    603,
    "agrees on the legal moves",
    SHOULD,
    "compare your move generator with `arena position` at the position that is named",
    capability="query",
    level=1,
)
async def legal_moves(bench: CheckContext) -> str | None:
    """``query legal`` and ``query islegal`` against our rules."""
    async with bench.playing() as player:
        count = 0
        for spot, ending in await bench.draw(_asked):
            if ending is not None:
                continue
            legal = spot.legal()
            await player.talk.say(player.position(spot))
            said = set((await _ask(player, "legal")).split())
            more, less = sorted(said - set(legal)), sorted(set(legal) - said)
            if more or less:
                raise Failure(
                    f"`query legal` has {counted(len(more), 'move')} too many ({' '.join(more[:5])})"
                    f" and lacks {len(less)} ({' '.join(less[:5])}) at {spot}"
                )
            await _expect(player, spot, f"islegal {legal[0]}", "true")
            await _expect(player, spot, "islegal nonsense", "false")
            count += 1
        return counted(count, "position")


@check(
    604,
    "agrees on the position",
    SHOULD,
    "write the position string as the game's page describes it; count seats from 1 in `query turn`",
    capability="query",
    level=1,
)
async def positions(bench: CheckContext) -> str | None:
    """``query turn`` and ``query fen`` against our rules."""
    async with bench.playing() as player:
        for spot, ending in await bench.draw(_asked):
            if ending is not None:
                continue
            await player.talk.say(player.position(spot))
            await _expect(player, spot, "turn", str(spot.position.turn + 1))
            fen = await _ask(player, "fen")
            if fen != str(spot.position):
                raise Failure(f"answered `query fen` with {fen[:80]!r} at {spot}")
        return None


@check(
    605,
    "a hash belongs to a position",
    SHOULD,
    "`query hash` depends on the position alone, not on how it was told or what was searched",
    capability="query",
    level=1,
    needs=(203,),
)
async def hashes(bench: CheckContext) -> str | None:
    """The same after a list of moves and after a position string, another for another position."""
    async with bench.playing() as player:
        seen: dict[str, str] = {}
        for spot in await bench.spots("hash", 8):
            texts = []
            for form in ("usual", "fen") if not player.uses("fen") else ("fen",):
                await player.talk.say(player.position(spot, "fen" if form == "fen" else "usual"))
                texts.append(await _ask(player, "hash"))
            if texts[0] != texts[-1]:
                raise Failure(f"`query hash` gave {texts[0][:40]!r} and {texts[-1][:40]!r} for {spot}")
            other = seen.setdefault(texts[0], str(spot.position))
            if other != str(spot.position):
                raise Failure(f"`query hash` gave {texts[0][:40]!r} for {spot} and for '{other}'")
        return None
