"""Time (3xx): nothing else runs while these do."""

from __future__ import annotations

from protocol.wire.messages import Go
from referee.check.catalogue import check
from referee.check.check_context import CheckContext
from referee.check.failures import Failure
from referee.check.game_dialogue import HOUR, GameDialogue
from referee.check.report import Severity

__all__: list[str] = []

MUST, SHOULD = Severity.MUST, Severity.SHOULD
_LATE = 2.0  # seconds that we go on listening, to say how late the move came


async def _in_time(bench: CheckContext, player: GameDialogue, go: Go, limit: int, count: int) -> list[float]:
    """Ask ``count`` times; the milliseconds of each answer, which may be ``limit`` and the margin at most."""
    times = []
    for spot in await bench.spots("clocks", count - 1):
        await player.show(spot)
        answer = await player.think(go, later=_LATE)
        player.judge(answer, spot)
        if answer.milliseconds > limit + bench.subject.patience.margin:
            raise Failure(f"took {answer.milliseconds:.0f} ms where it had {limit} ms: the flag fell")
        times.append(answer.milliseconds)
    return times


def _told(times: list[float]) -> str:
    middle = sorted(times)[len(times) // 2]
    return f"{middle:.0f} ms in the middle, {max(times):.0f} ms at most, of {len(times)}"


@check(
    301,
    "keeps to movetime",
    MUST,
    "answer `go movetime T` after at most T milliseconds; keep some back for the way to the hub",
    needs=(202,),
    alone=True,
)
async def movetime(bench: CheckContext) -> str | None:
    """Ten times 100 ms."""
    async with bench.playing() as player:
        return _told(await _in_time(bench, player, Go(movetime=100), 100, 10))


@check(
    302,
    "keeps to its clock",
    MUST,
    "share the clock out over the rest of the game, and never plan beyond what is left of it",
    needs=(205, 206),
    alone=True,
)
async def ordinary_clocks(bench: CheckContext) -> str | None:
    """A minute with increment, a second and a tenth of a second without."""
    async with bench.playing() as player:
        told = []
        for left, increment, count in ((60_000, 500, 1), (1000, 0, 3), (100, 0, 5)):
            await player.new_game()
            times = await _in_time(bench, player, player.clocks(left, increment), left, count)
            told.append(f"{max(times):.0f} ms of {left}")
        return ", ".join(told)


@check(
    303,
    "no flag at 1 ms and an increment of 100 ms",
    MUST,
    "the increment comes after the move: with a millisecond left, answer at once",
    needs=(202,),
    alone=True,
)
async def nothing_left(bench: CheckContext) -> str | None:
    """The least that a clock shows."""
    async with bench.playing() as player:
        return _told(await _in_time(bench, player, player.clocks(1, 100), 1, 10))


@check(
    304,
    "reads its own clock",
    MUST,
    "p1time belongs to the first seat, p2time to the second: take that of the side to move",
    needs=(207,),
    alone=True,
)
async def own_clock(bench: CheckContext) -> str | None:
    """200 ms against an hour, in every seat."""
    told = []
    for seat in range(bench.book.game.info.players):
        async with bench.playing(seat) as player:
            *_, spot = await bench.spots(f"seat {seat}", 1, seat)
            clocks = [HOUR] * bench.book.game.info.players
            clocks[spot.position.turn] = 200
            await player.show(spot)
            player.talk.new_turn()
            go = Go(times=tuple(clocks), incs=(0,) * len(clocks))
            answer = await player.think(go, later=_LATE - HOUR / 1000)
            if answer.milliseconds > 200 + bench.subject.patience.margin:
                raise Failure(
                    f"took {answer.milliseconds:.0f} ms with 200 ms on its own clock and an hour on others'"
                )
            told.append(f"{answer.milliseconds:.0f} ms")
    return ", ".join(told)


@check(
    305,
    "depth 1 is quick",
    SHOULD,
    "`go depth N` ends when depth N is searched, whatever the clock",
    needs=(201,),
    alone=True,
)
async def depth(bench: CheckContext) -> str | None:
    """Within two seconds."""
    return await _quick(bench, Go(depth=1))


@check(
    306,
    "nodes 1 is quick",
    SHOULD,
    "`go nodes N` ends when N nodes are searched, with any move if there was no time for a better one",
    needs=(201,),
    alone=True,
)
async def nodes(bench: CheckContext) -> str | None:
    """Within two seconds."""
    return await _quick(bench, Go(nodes=1))


async def _quick(bench: CheckContext, go: Go) -> str:
    async with bench.playing() as player:
        await player.show(bench.book.start)
        answer = await player.think(go, later=_LATE)
        player.judge(answer, bench.book.start)
        return f"{answer.milliseconds:.0f} ms"


@check(
    307,
    "does not spend half of its clock on one move",
    SHOULD,
    "plan for some thirty to fifty moves when the hub names no number",
    needs=(302,),
    alone=True,
)
async def half_a_clock(bench: CheckContext) -> str | None:
    """The first move of a game of two seconds."""
    async with bench.playing() as player:
        await player.show(bench.book.start)
        answer = await player.think(player.clocks(2000))
        if answer.milliseconds > 1000:
            raise Failure(f"took {answer.milliseconds:.0f} ms of 2000 ms for the first move of a game")
        return f"{answer.milliseconds:.0f} ms of 2000"


@check(
    308,
    "knows movestogo",
    MUST,
    "with `movestogo N` the clock must last for N moves; unknown words at the end of a line are skipped",
    level=1,
    needs=(302,),
    alone=True,
)
async def moves_to_go(bench: CheckContext) -> str | None:
    """The last move of a session, and the first of forty."""
    async with bench.playing() as player:
        for count in (1, 40):
            await _in_time(bench, player, player.clocks(300, moves_to_go=count), 300, 2)
        return None


@check(
    309,
    "keeps to its clock on a busy machine",
    SHOULD,
    "look at the clock often, and keep a few milliseconds more back: a tournament runs many engines at once",
    needs=(301, 302, 702),
    alone=True,
)
async def busy(bench: CheckContext) -> str | None:
    """A second instance thinks at the same time."""
    async with bench.playing() as other, bench.playing() as player:
        for spot in await bench.spots("busy", 4):
            await other.show(spot)
            await player.show(spot)
            other.talk.new_turn()
            await other.talk.say(Go(movetime=150))
            answer = await player.think(Go(movetime=100), later=_LATE)
            if answer.milliseconds > 100 + bench.subject.patience.margin:
                raise Failure(f"took {answer.milliseconds:.0f} ms of 100 while a second instance thought")
            await other.finish(_LATE)
        return None
