"""Checks of time (3xx). Each of them runs alone."""

from __future__ import annotations

from protocol.wire.messages import Go
from referee.check.catalogue import MUST, SHOULD, CheckContext, check
from referee.check.conversation import HOUR, Conversation, Failure, Skip

_LATE = 2.0  # seconds to wait after the time is up, to report how late the move came


async def _in_time(
    context: CheckContext, dialogue: Conversation, go: Go, limit: int, count: int
) -> list[float]:
    """Return the milliseconds of ``count`` moves. A Failure: one took more than ``limit`` and the margin."""
    times = []
    for spot in await context.spots("clocks", count - 1):
        answer = await dialogue.move(spot, go, later=_LATE)
        if answer.milliseconds > limit + context.subject.spec.margin:
            raise Failure(f"took {answer.milliseconds:.0f} ms but had {limit} ms, so its flag fell")
        times.append(answer.milliseconds)
    return times


def _require(context: CheckContext, *forms: str) -> None:
    """Skip the check if the engine is checked with a time control that has none of these forms."""
    limit = context.subject.limit
    if limit is not None and not any(getattr(limit, form, None) is not None for form in forms):
        raise Skip(f"the time control of this check has no {' or '.join(forms)}")


def _summary(times: list[float]) -> str:
    median = sorted(times)[len(times) // 2]
    return f"median {median:.0f} ms, maximum {max(times):.0f} ms, of {len(times)} moves"


@check(
    301,
    "keeps to movetime",
    MUST,
    "answer `go movetime T` within T milliseconds; reserve a few for the transfer to the hub",
    needs=(202,),
    alone=True,
)
async def movetime(context: CheckContext) -> str | None:
    """Ask for ten moves of 100 ms each."""
    _require(context, "movetime")
    async with context.playing() as dialogue:
        return _summary(await _in_time(context, dialogue, Go(movetime=100), 100, 10))


@check(
    302,
    "keeps to its clock",
    MUST,
    "divide the clock over the rest of the game, and never plan beyond the time that is left",
    needs=(205, 206),
    alone=True,
)
async def ordinary_clocks(context: CheckContext) -> str | None:
    """Use a minute with increment, then a second and a tenth of a second without increment."""
    _require(context, "clock")
    async with context.playing() as dialogue:
        remarks = []
        for left, increment, count in ((60_000, 500, 1), (1000, 0, 3), (100, 0, 5)):
            await dialogue.new_game()
            times = await _in_time(context, dialogue, dialogue.clocks(left, increment), left, count)
            remarks.append(f"{max(times):.0f} ms of {left}")
        return ", ".join(remarks)


@check(
    303,
    "does not lose on time with 1 ms and an increment of 100 ms",
    MUST,
    "the increment comes after the move: with a millisecond left, answer immediately",
    needs=(202,),
    explained_by=(302,),
    alone=True,
)
async def nothing_left(context: CheckContext) -> str | None:
    """Use the smallest clock that the hub can send."""
    _require(context, "clock")
    async with context.playing() as dialogue:
        return _summary(await _in_time(context, dialogue, dialogue.clocks(1, 100), 1, 10))


@check(
    304,
    "reads its own clock",
    MUST,
    "p1time belongs to the first seat, p2time to the second: use the time of the side to move",
    needs=(207,),
    explained_by=(302,),
    alone=True,
)
async def own_clock(context: CheckContext) -> str | None:
    """In every seat, use 200 ms for the engine and an hour for all others."""
    _require(context, "clock")
    remarks = []
    for seat in range(context.book.game.info.players):
        async with context.playing(seat) as dialogue:
            *_, spot = await context.spots(f"seat {seat}", 1, seat)
            clocks = [HOUR] * context.book.game.info.players
            clocks[spot.position.turn] = 200
            go = Go(times=tuple(clocks), incs=(0,) * len(clocks))
            answer = await dialogue.search(spot, go, later=_LATE - HOUR / 1000)
            if answer.milliseconds > 200 + context.subject.spec.margin:
                raise Failure(
                    f"took {answer.milliseconds:.0f} ms with 200 ms on its own clock and an hour on others"
                )
            remarks.append(f"{answer.milliseconds:.0f} ms")
    return ", ".join(remarks)


@check(
    305,
    "depth 1 is quick",
    SHOULD,
    "end `go depth N` when depth N is searched, even if there is time left",
    needs=(201,),
    explained_by=(302,),
    alone=True,
)
async def depth(context: CheckContext) -> str | None:
    """Ask for a move, which must come within two seconds."""
    _require(context, "depth")
    return await _quick(context, Go(depth=1))


@check(
    306,
    "nodes 1 is quick",
    SHOULD,
    "end `go nodes N` when N nodes are searched; if there was no time for a good move, print any move",
    needs=(201,),
    explained_by=(302,),
    alone=True,
)
async def nodes(context: CheckContext) -> str | None:
    """Ask for a move, which must come within two seconds."""
    _require(context, "nodes")
    return await _quick(context, Go(nodes=1))


async def _quick(context: CheckContext, go: Go) -> str:
    async with context.playing() as dialogue:
        answer = await dialogue.move(context.book.start, go, later=_LATE)
        return f"{answer.milliseconds:.0f} ms"


@check(
    307,
    "does not spend half of its clock on one move",
    SHOULD,
    "plan for about thirty to fifty moves if the hub sends no `movestogo`",
    needs=(302,),
    alone=True,
)
async def half_a_clock(context: CheckContext) -> str | None:
    """Ask for the first move of a game with two seconds on each clock."""
    _require(context, "clock")
    async with context.playing() as dialogue:
        answer = await dialogue.search(context.book.start, dialogue.clocks(2000), later=_LATE)
        if answer.milliseconds > 1000:
            raise Failure(f"took {answer.milliseconds:.0f} ms of 2000 ms for the first move of a game")
        return f"{answer.milliseconds:.0f} ms of 2000"


@check(
    308,
    "knows movestogo",
    MUST,
    "with `movestogo N` the clock must last for N moves; ignore unknown words at the end of a line",
    announces=True,
    needs=(302,),
    alone=True,
)
async def moves_to_go(context: CheckContext) -> None:
    """Ask for a move with ``movestogo 1``, and for one with ``movestogo 40``."""
    _require(context, "clock")
    async with context.playing() as dialogue:
        for count in (1, 40):
            await _in_time(context, dialogue, dialogue.clocks(300, moves_to_go=count), 300, 2)


@check(
    309,
    "keeps to its clock on a busy machine",
    SHOULD,
    "check the clock often, and reserve a few more milliseconds: a tournament runs many engines together",
    needs=(301, 302, 702),
    alone=True,
)
async def busy(context: CheckContext) -> None:
    """Let a second instance search at the same time."""
    _require(context, "movetime")
    async with context.playing() as other, context.playing() as dialogue:
        for spot in await context.spots("busy", 4):
            await other.send_position(spot)
            await dialogue.send_position(spot)
            await other.drop_output()
            await other.say(Go(movetime=150))
            answer = await dialogue.think(Go(movetime=100), later=_LATE)
            if answer.milliseconds > 100 + context.subject.spec.margin:
                raise Failure(
                    f"took {answer.milliseconds:.0f} ms of 100 while a second instance was searching"
                )
            await other.finish(_LATE)
