"""Checks of time (3xx). Each of them runs alone."""

from __future__ import annotations

from protocol.wire.messages import BestMove, Go
from referee.check.catalogue import MUST, SHOULD, EngineBody, check, in_game
from referee.check.conversation import HOUR, CheckContext, Conversation, Failure

_LATE = 2.0  # seconds to wait after the time is up, to report how late the move came


async def _in_time(engine: Conversation, go: Go, limit: int, count: int) -> list[float]:
    """Return the milliseconds of ``count`` moves. Failure: a move took more than ``limit`` and the margin."""
    times = []
    for spot in await engine.spots("clocks", count - 1):
        answer = await engine.move(spot, go, later=_LATE)
        if answer.milliseconds > limit + engine.spec.margin:
            raise Failure(f"took {answer.milliseconds:.0f} ms but had {limit} ms, so its flag fell")
        times.append(answer.milliseconds)
    return times


def _summary(times: list[float]) -> str:
    median = sorted(times)[len(times) // 2]
    return f"median {median:.0f} ms, maximum {max(times):.0f} ms, of {len(times)} moves"


@in_game(
    301,
    "keeps to movetime",
    MUST,
    "answer `go movetime T` within T milliseconds; reserve a few for the transfer to the hub",
    needs=(202,),
    limit="movetime",
    alone=True,
)
async def movetime(engine: Conversation) -> str | None:
    """Ask for ten moves of 100 ms each."""
    return _summary(await _in_time(engine, Go(movetime=100), 100, 10))


@in_game(
    302,
    "keeps to its clock",
    MUST,
    "divide the clock over the rest of the game, and never plan beyond the time that is left",
    needs=(205, 206),
    limit="clock",
    alone=True,
)
async def ordinary_clocks(engine: Conversation) -> str | None:
    """Use a minute with increment, then a second and a tenth of a second without increment."""
    remarks = []
    for left, increment, count in ((60_000, 500, 1), (1000, 0, 3), (100, 0, 5)):
        await engine.new_game()
        times = await _in_time(engine, engine.clocks(left, increment), left, count)
        remarks.append(f"{max(times):.0f} ms of {left}")
    return ", ".join(remarks)


@in_game(
    303,
    "does not lose on time with 1 ms and an increment of 100 ms",
    MUST,
    "the increment comes after the move: with a millisecond left, answer immediately",
    needs=(202,),
    explained_by=(302,),
    limit="clock",
    alone=True,
)
async def nothing_left(engine: Conversation) -> str | None:
    """Use the smallest clock that the hub can send."""
    return _summary(await _in_time(engine, engine.clocks(1, 100), 1, 10))


@check(
    304,
    "reads its own clock",
    MUST,
    "p1time belongs to the first seat, p2time to the second: use the time of the side to move",
    needs=(207,),
    explained_by=(302,),
    limit="clock",
    alone=True,
)
async def own_clock(context: CheckContext) -> str | None:
    """In every seat, use 200 ms for the engine and an hour for all others."""
    remarks = []
    players = context.info.players
    for seat in range(players):
        async with context.playing(seat) as engine:
            *_, spot = await engine.spots(f"seat {seat}", 1, seat)
            clocks = [HOUR] * players
            clocks[spot.position.turn] = 200
            go = Go(times=tuple(clocks), incs=(0,) * players)
            answer = await engine.search(spot, go, later=_LATE - HOUR / 1000)
            if answer.milliseconds > 200 + engine.spec.margin:
                raise Failure(
                    f"took {answer.milliseconds:.0f} ms with 200 ms on its own clock and an hour on others"
                )
            remarks.append(f"{answer.milliseconds:.0f} ms")
    return ", ".join(remarks)


def _quick(go: Go) -> EngineBody:
    """Return the body of a check: a move must come within two seconds."""

    async def body(engine: Conversation) -> str:
        answer = await engine.move(engine.book.start, go, later=_LATE)
        return f"{answer.milliseconds:.0f} ms"

    return body


depth = in_game(
    305,
    "depth 1 is quick",
    SHOULD,
    "end `go depth N` when depth N is searched, even if there is time left",
    needs=(201,),
    explained_by=(302,),
    limit="depth",
    alone=True,
)(_quick(Go(depth=1)))

nodes = in_game(
    306,
    "nodes 1 is quick",
    SHOULD,
    "end `go nodes N` when N nodes are searched; if there was no time for a good move, print any move",
    needs=(201,),
    explained_by=(302,),
    limit="nodes",
    alone=True,
)(_quick(Go(nodes=1)))


@in_game(
    307,
    "does not spend half of its clock on one move",
    SHOULD,
    "plan for about thirty to fifty moves if the hub sends no `movestogo`",
    needs=(302,),
    limit="clock",
    alone=True,
)
async def half_a_clock(engine: Conversation) -> str | None:
    """Ask for the first move of a game with two seconds on each clock."""
    answer = await engine.search(engine.book.start, engine.clocks(2000), later=_LATE)
    if answer.milliseconds > 1000:
        raise Failure(f"took {answer.milliseconds:.0f} ms of 2000 ms for the first move of a game")
    return f"{answer.milliseconds:.0f} ms of 2000"


@in_game(
    308,
    "knows movestogo",
    MUST,
    "with `movestogo N` the clock must last for N moves; ignore unknown words at the end of a line",
    announces=True,
    needs=(302,),
    limit="clock",
    alone=True,
)
async def moves_to_go(engine: Conversation) -> None:
    """Ask for a move with ``movestogo 1``, and for one with ``movestogo 40``."""
    for count in (1, 40):
        await _in_time(engine, engine.clocks(300, moves_to_go=count), 300, 2)


@check(
    309,
    "keeps to its clock on a busy machine",
    SHOULD,
    "check the clock often, and reserve a few more milliseconds: a tournament runs many engines together",
    needs=(301, 302, 702),
    limit="movetime",
    alone=True,
)
async def busy(context: CheckContext) -> None:
    """Let a second instance search at the same time."""
    async with context.playing() as other, context.playing() as engine:
        for spot in await engine.spots("busy", 4):
            await other.send_position(spot)
            await engine.send_position(spot)
            await other.drop_output()
            await other.say(Go(movetime=150))
            answer = await engine.think(Go(movetime=100), later=_LATE)
            if answer.milliseconds > 100 + engine.spec.margin:
                raise Failure(
                    f"took {answer.milliseconds:.0f} ms of 100 while a second instance was searching"
                )
            await other.until(BestMove, "bestmove", _LATE)
