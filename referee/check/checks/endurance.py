"""Checks with many games, and with several processes of the engine (7xx)."""

from __future__ import annotations

import trio

from protocol.plurals import counted
from protocol.wire.messages import Go
from referee.check.catalogue import INFO, SHOULD, check
from referee.check.check_context import CheckContext
from referee.check.conversation import Failure, Skip
from referee.check.processor import usage

_GAMES = 100
_SETTLED = 20  # games after which memory should no longer grow
_LONG = 30.0  # seconds after which a slow engine plays no more of them
_GROWTH = 0.2
_SLACK = 24 * 1024 * 1024  # bytes of growth to ignore: garbage of so few games need not be collected yet


@check(
    701,
    "a hundred games in one process",
    SHOULD,
    "at `uginewgame`, free or reuse the memory of the last game: tables, histories, lists of moves",
    needs=(205, 206),
    proc=True,
)
async def many_games(context: CheckContext) -> str | None:
    """Play short games, fewer if the engine takes long.

    After the twentieth, memory may grow by a fifth and 24 MiB.
    """
    async with context.playing() as dialogue:
        spots = await context.spots("games", 2)
        settled = games = 0
        end = trio.current_time() + _LONG
        while games < _GAMES and trio.current_time() < end:
            for spot in spots:
                await dialogue.move(spot, dialogue.clocks(200))
            await dialogue.new_game()
            games += 1
            if games == _SETTLED:
                settled = usage(dialogue.conversation.process.pid).memory
        if games <= _SETTLED:
            raise Skip(f"the engine takes long: {counted(games, 'game')} in {_LONG:g} s")
        memory = usage(dialogue.conversation.process.pid).memory
        if memory > settled * (1 + _GROWTH) + _SLACK:
            raise Failure(
                f"used {settled >> 20} MiB of memory after {_SETTLED} games, but {memory >> 20} MiB"
                f" after {games}"
            )
        return f"{memory / 1024 / 1024:.1f} MiB after {counted(games, 'game')}"


@check(
    702,
    "two instances at once",
    SHOULD,
    "share no file, port or lock between instances: a tournament plays many games at once",
    needs=(202,),
)
async def two_instances(context: CheckContext) -> str | None:
    """Start two processes, and ask them for moves in turn."""
    async with context.playing() as first, context.playing() as second:
        for spot in await context.spots("two", 2):
            await first.move(spot)
            await second.move(spot)
        return None


@check(
    703,
    "plays the same again",
    INFO,
    "an engine that always plays the same moves is easier to debug; one that varies them plays more openings",
    needs=(202, 306),
    alone=True,
)
async def deterministic(context: CheckContext) -> str | None:
    """Ask two processes for moves in the same positions, with one node each."""
    played = []
    for _ in range(2):
        async with context.playing() as dialogue:
            spots = await context.spots("same", 4)
            played.append([(await dialogue.move(spot, dialogue.limit or Go(nodes=1))).move for spot in spots])
    if played[0] != played[1]:
        raise Failure("played the same positions differently in two processes, with one node each")
    return None
