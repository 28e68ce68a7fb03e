"""Many games, and several engines at once (7xx)."""

from __future__ import annotations

from protocol.wire.messages import Go
from referee.check.catalogue import check
from referee.check.check_context import CheckContext
from referee.check.failures import Failure
from referee.check.process_usage import usage
from referee.check.report import Severity

__all__: list[str] = []

SHOULD, INFO = Severity.SHOULD, Severity.INFO
_GAMES = 100
_SETTLED = 20  # games after which memory should not grow any more
_GROWTH = 0.2
_SLACK = 4 * 1024 * 1024  # bytes that do not count: allocators are no accountants


@check(
    701,
    "a hundred games in one process",
    SHOULD,
    "free or reuse at `uginewgame` what the last game needed: tables, histories, lists of moves",
    needs=(205, 206),
)
async def many_games(bench: CheckContext) -> str | None:
    """Short games; from the twentieth on memory grows by a fifth at most."""
    async with bench.playing() as player:
        spots = await bench.spots("games", 2)
        settled = memory = usage(player.talk.process.pid).memory
        for number in range(1, _GAMES + 1):
            for spot in spots:
                await player.move(spot, player.clocks(200))
            await player.new_game()
            memory = usage(player.talk.process.pid).memory
            if number == _SETTLED:
                settled = memory
        if memory > settled * (1 + _GROWTH) + _SLACK:
            raise Failure(
                f"grew from {settled >> 20} MiB after {_SETTLED} games to {memory >> 20} MiB after {_GAMES}"
            )
        return f"{memory / 1024 / 1024:.1f} MiB"


@check(
    702,
    "two instances at once",
    SHOULD,
    "share no file, port or lock between instances: a tournament plays many games at a time",
    needs=(202,),
)
async def two_instances(bench: CheckContext) -> str | None:
    """Both are greeted, and move in turn."""
    async with bench.playing() as one, bench.playing() as other:
        for spot in await bench.spots("two", 2):
            await one.move(spot)
            await other.move(spot)
        return None


@check(
    703,
    "plays the same again",
    INFO,
    "an engine that always plays the same is easier to debug; one that varies makes better openings",
    needs=(202, 306),
    alone=True,
)
async def deterministic(bench: CheckContext) -> str | None:
    """The same positions in two processes, one node each."""
    played = []
    for _ in range(2):
        async with bench.playing() as player:
            spots = await bench.spots("same", 4)
            played.append([(await player.move(spot, Go(nodes=1))).move for spot in spots])
    if played[0] != played[1]:
        raise Failure("played the same positions differently in two processes, with one node each")
    return None
