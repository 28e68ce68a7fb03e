"""A run with a door waits for engines that come in."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import trio

from arena.config import load
from arena.events import GameEnded, RunEvent
from arena.run.tournament import run_tournament

pytestmark = pytest.mark.system

ENGINE = Path(__file__).parents[2] / "engines" / "hostile_engine.py"
COMMAND = [sys.executable, "-S", str(ENGINE), "honest"]


def table(name: str) -> dict[str, object]:
    return {"name": name, "command": COMMAND}


async def test_a_round_robin_that_is_over_waits_at_its_door_and_plays_who_comes_in(tmp_path: Path) -> None:
    file = tmp_path / "league.toml"
    engines = ", ".join(f'{{ name = "{name}", command = {json.dumps(COMMAND)} }}' for name in "ab")
    file.write_text(
        f'game = "quoridor"\nadjudication.plies = 4\nconcurrency = 1\nengines = [{engines}]\n[door]\n'
    )
    (tmp_path / "door").mkdir()
    ended: list[set[str]] = []
    over = trio.Event()

    def observe(event: RunEvent) -> None:
        if isinstance(event, GameEnded):
            ended.append({player.name for player in event.result.players})
            if len(ended) == 2:
                (tmp_path / "door" / "engines.json").write_text(json.dumps([table("c")]))
            elif len(ended) == 6:
                (tmp_path / "door" / "engines.json").write_text(json.dumps([table("c"), table("a")]))
                over.set()

    with trio.fail_after(30):
        async with trio.open_nursery() as nursery:

            async def run() -> None:
                await run_tournament(load(file), lambda *_: None, observe, signals=False)

            nursery.start_soon(run)
            await over.wait()
            await trio.sleep(0.1)
            nursery.cancel_scope.cancel()
    assert ended[:2] == [{"a", "b"}] * 2
    assert sorted(map(sorted, ended[2:])) == [["a", "c"], ["a", "c"], ["b", "c"], ["b", "c"]]
