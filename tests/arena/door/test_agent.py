"""An agent plays at a door, by the client of the package mcp."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Any

import pytest
import trio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from arena.mcp import table
from referee.outcome import Termination
from tests.arena.door.test_remote import hub
from tests.arena.forked import arena, forked
from tests.processes import wait_for

pytestmark = pytest.mark.system


async def test_an_agent_plays_the_next_game_of_the_ladder_and_is_away_between_two(tmp_path: Path) -> None:
    keys = 'bots = "remote"\n[door.remote]\ngrace = 5\n[forgive]\nillegal = 1'
    with hub(tmp_path, "ann", control="60+5", door=keys) as door:
        with forked("run", door.file, "--quiet", cwd=tmp_path) as run, trio.fail_after(120):
            words = ["-m", "arena", "connect", door.links["ann"], "--mcp"]
            server = stdio_client(StdioServerParameters(command=sys.executable, args=words))
            async with Client(server, mode="legacy") as client:

                async def call(name: str, **arguments: Any) -> Any:
                    result = await client.call_tool(name, arguments)
                    return result.structured_content | {"error": result.is_error}

                assert (await call("state"))["status"] == table.NO_GAME
                state = await call("new_game")
                while state["status"] == table.STARTING:
                    state = await call("state")
                illegal = await call("move", move="z9")
                assert illegal["error"]
                assert "forgiven, 1 of 1" in illegal["news"]
                while state["status"] == table.MOVING:
                    state = await call("move", move=state["legal"].split()[0])
                assert state["status"] == table.OVER
                while "stored as game" not in state["news"]:
                    await trio.sleep(0.2)
                    state = await call("state")
                await call("new_game")
                while (await call("state"))["status"] == table.STARTING:
                    pass
            # Its program has ended, so the agent resigns the second game.
            await trio.to_thread.run_sync(wait_for, lambda: len(door.against("ann")) > 1, run.stderr)
            run.send_signal(signal.SIGINT)
            run.wait(60)
        played = [game for game in door.against("ann") if game.result.counts]
        first, second = played  # a game that found the agent away does not count
        assert any(ply.fault == "illegal" for ply in first.record)
        assert Termination.RESIGN in {player.forfeit for player in second.result.players}


def test_an_agent_has_no_command(tmp_path: Path) -> None:
    wrong = arena("connect", "http://127.0.0.1:1/door/enter/x", "--mcp", "--", "bot", cwd=tmp_path)
    assert (wrong.returncode, "leave out -- CMD" in wrong.stderr) == (2, True)
