"""An agent plays by the client of the package mcp, against real engines, and the games are stored."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
import trio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from arena.mcp import table
from arena.model import GameRecord
from arena.store import Store
from referee.outcome import Termination
from tests.arena.forked import arena


@asynccontextmanager
async def agent(folder: Path, *options: str, mode: str = "legacy") -> AsyncIterator[Client]:
    words = ["-m", "arena", "mcp", "--db", str(folder / "games.db"), *options]
    with (folder / "stderr").open("a") as log, trio.fail_after(120):
        server = stdio_client(StdioServerParameters(command=sys.executable, args=words), errlog=log)
        async with Client(server, mode=mode) as client:
            yield client


async def call(client: Client, name: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    """Call a tool that does what it is asked."""
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content
    return result.content[0].text, result.structured_content or {}


async def refused(client: Client, name: str, **arguments: Any) -> str:
    result = await client.call_tool(name, arguments)
    assert result.is_error
    return result.content[0].text


def games(folder: Path) -> list[GameRecord]:
    with closing(Store.open(folder / "games.db", create=False)) as store:
        return list(store.finder.records())


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_an_agent_reads_the_rules_and_plays_a_rated_game_to_its_end(tmp_path: Path, mode: str) -> None:
    async with agent(tmp_path, "--as", "the agent", mode=mode) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == {
            "list_games", "new_game", "state", "move", "resign",
        }  # fmt: skip
        listed, _ = await call(client, "list_games")
        assert "quoridor4: Quoridor, four players, 4 players" in listed
        rules, _ = await call(client, "list_games", game="rampants")
        assert rules.startswith("# Rampants")
        _, state = await call(client, "new_game", game="rampants", opponents=["level:1"])
        moves = 0
        while state["status"] == table.MOVING:
            assert state["diagram"]
            _, state = await call(client, "move", move=state["legal"].split()[-1])
            moves += 1
        assert state["status"] == table.OVER
        assert "stored as game 1 of agents" in state["news"]
    (game,) = games(tmp_path)
    assert [player.name for player in game.result.players] == ["the agent", "level-1"]
    assert sum(ply.seat == 0 for ply in game.record) == moves
    assert all(ply.time > 0 for ply in game.record)
    assert game.result.players[0].time_control == "1800+30"
    for command in ("ratings", "standings"):
        assert "the agent" in arena(command, "--db", tmp_path / "games.db", cwd=tmp_path).stdout


async def test_illegal_moves_get_the_reason_and_the_legal_moves_until_they_lose(tmp_path: Path) -> None:
    async with agent(tmp_path, "--forgive", "1") as client:
        await call(client, "new_game", game="quoridor", opponents=["sample:random"])
        text = await refused(client, "move", move="z9")
        assert "forgiven, 1 of 1" in text
        assert "legal: d1 f1 e2" in text
        await call(client, "move", move="e2")
        text = await refused(client, "move", move="e9")
        assert "you forfeited: illegal" in text
        await call(client, "new_game", game="quoridor", opponents=["sample:random"], seat=1)
        await refused(client, "move", move="z9")
        _, state = await call(client, "resign")
        assert "the last move" not in state["news"]  # there was none
    game, _ = games(tmp_path)
    assert game.result.players[0].name == "mcp"  # the name of the client
    assert game.result.players[0].forfeit is Termination.ILLEGAL
    assert [ply.fault for ply in game.record[:2]] == ["illegal", ""]


async def test_a_wrong_call_is_one_sentence_and_costs_nothing(tmp_path: Path) -> None:
    async with agent(tmp_path) as client:
        wrong = {
            "no game has the id 'hop'; did you mean hops?": {"game": "hop", "opponents": ["level:1"]},
            "there is no opponent 'level:9'": {"game": "hops", "opponents": ["level:9"]},
            "hops has no level '8'": {"game": "hops", "opponents": ["level:8"]},
            "hops needs 1 opponent": {"game": "hops", "opponents": []},
            "quoridor4 needs 3 opponents, each with another name": {
                "game": "quoridor4",
                "opponents": ["level:1", "level:1", "level:2"],
            },
            "seat must be from 1 to 2": {"game": "hops", "opponents": ["level:1"], "seat": 3},
            "time control 'soon'": {"game": "hops", "opponents": ["level:1"], "clock": "soon"},
            "got `str`": {"game": "hops", "opponents": "level:1"},
        }
        for words, arguments in wrong.items():
            assert words in await refused(client, "new_game", **arguments)
        assert "there is no game 'x'" in await refused(client, "list_games", game="x")
        for tool, arguments in {"move": {"move": "a1"}, "resign": {}}.items():
            assert table.NO_GAME in await refused(client, tool, **arguments)
        await call(client, "new_game", game="hops", opponents=["level:1"])
        assert "a game goes on" in await refused(client, "new_game", game="hops", opponents=["level:1"])
        for move in ("", "a1 a2", "é", "x" * 300):
            assert "is no move" in await refused(client, "move", move=move)
        _, state = await call(client, "resign")
        assert "you lost: resign" in state["news"]
    assert [ply for game in games(tmp_path) for ply in game.record] == []


async def test_seats_take_turns_and_the_clock_of_the_agent_counts(tmp_path: Path) -> None:
    async with agent(tmp_path, "--opponent", "mine=sample:random", "--forgive", "0") as client:
        for _ in range(2):
            await call(client, "new_game", game="quoridor", opponents=["mine"])
            await call(client, "resign")
        _, state = await call(client, "new_game", game="quoridor", opponents=["mine"], seat=2, clock="0.3")
        assert state["seat"] == 2
        while state["status"] != table.OVER:
            await trio.sleep(0.1)
            _, state = await call(client, "state")
        assert "time" in state["news"]
    names = [[player.name for player in game.result.players] for game in games(tmp_path)]
    assert names == [["mcp", "mine"], ["mine", "mcp"], ["mine", "mcp"]]


async def test_an_agent_whose_program_ends_resigns(tmp_path: Path) -> None:
    async with agent(tmp_path) as client:
        await call(client, "new_game", game="quoridor", opponents=["level:1"])
    (game,) = games(tmp_path)
    assert game.result.players[0].forfeit is Termination.RESIGN


def test_a_tournament_of_a_file_and_an_opponents_name_are_kept_free(tmp_path: Path) -> None:
    database = str(tmp_path / "games.db")
    taken = arena("mcp", "--db", database, "--as", "level-3", cwd=tmp_path)
    assert (taken.returncode, "an opponent has the name 'level-3'" in taken.stderr) == (2, True)
    file = tmp_path / "cup.toml"
    file.write_text(
        f'game = "rampants"\nname = "agents"\ndatabase = "{database}"\ngames_per_pairing = 1\n'
        + "".join(f'[[engines]]\nname = "{name}"\ncommand = "sample:random"\n' for name in "ab")
    )
    assert arena("run", str(file), "--quiet", cwd=tmp_path).returncode == 0
    busy = arena("mcp", "--db", database, cwd=tmp_path)
    assert (busy.returncode, "agents" in busy.stderr) == (2, True)
