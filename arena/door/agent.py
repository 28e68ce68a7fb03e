"""Let an agent play at a door: it asks for a game, and the door gives it the next one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import trio

from arena.door.client import Door
from arena.door.connect import HomeBot
from arena.mcp.server import Answer, NoArguments, Server, Tool, serve_standard_streams
from arena.mcp.table import Table, socket_path

_INSTRUCTIONS: Final = (
    "Board games in a tournament. Ask for your next game with new_game, and play with move; list_games has"
    " the rules. Your clock runs while it is your turn. An illegal move may lose the game."
)


async def play_as_agent(door: Door, tell: Callable[[str], None]) -> None:
    """Serve an agent on standard input and output until it goes. A game that goes on is resigned."""

    def note(text: str) -> None:
        tell(text)
        table.news.append(text)

    async def new_game(_: NoArguments) -> Answer:
        table.start()
        wanted.release()
        return await table.state()

    wanted = trio.Semaphore(0)
    with socket_path() as path:
        table = Table(path, hears_end=True)
        tool = Tool("new_game", "Wait for your next game in the tournament.", NoArguments, new_game)
        async with trio.open_nursery() as nursery:
            await nursery.start(table.listen)
            nursery.start_soon(HomeBot(door, table.spec("the agent"), note, wanted.acquire).run)
            await serve_standard_streams(Server([*table.tools(), tool], _INSTRUCTIONS))
            await table.leave()
            nursery.cancel_scope.cancel()
