"""A run with a door waits for engines that come in."""

from __future__ import annotations

import json
import sys
from io import StringIO
from pathlib import Path

import pytest
import trio

from arena.cli.progress import RunView
from arena.config import load
from arena.events import GameBegan, GameEnded, RunEvent, RunState
from arena.model import Stage
from arena.run.tournament import Run

pytestmark = pytest.mark.system

ENGINE = Path(__file__).parents[2] / "engines" / "hostile_engine.py"
COMMAND = [sys.executable, "-S", str(ENGINE), "honest"]


def table(name: str, **keys: str) -> dict[str, object]:
    return {"name": name, "command": COMMAND, **keys}


def league(folder: Path, *lines: str) -> Path:
    """Write the file of a tournament of two engines, and make the folder of its door."""
    engines = ", ".join(f'{{ name = "{name}", command = {json.dumps(COMMAND)} }}' for name in "ab")
    keys = ('game = "quoridor"', "adjudication.plies = 4", "concurrency = 1", f"engines = [{engines}]")
    file = folder / "league.toml"
    file.write_text("\n".join([*keys, *lines, ""]))
    (folder / "door").mkdir()
    return file


async def play(run: Run, over: trio.Event) -> None:
    """Play until something has happened, and a little longer."""
    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run.play)
            await over.wait()
            await trio.sleep(0.1)
            nursery.cancel_scope.cancel()


async def test_a_round_robin_that_is_over_waits_at_its_door_and_plays_who_comes_in(tmp_path: Path) -> None:
    file = league(tmp_path, "[door]")
    ended: list[set[str]] = []
    texts: list[str] = []
    over = trio.Event()

    def observe(event: RunEvent) -> None:
        if isinstance(event, Stage):
            texts.append(event.text)
        if isinstance(event, GameEnded):
            ended.append({player.name for player in event.result.players})
            if len(ended) == 2:
                (tmp_path / "door" / "engines.json").write_text(json.dumps([table("c")]))
            elif len(ended) == 6:
                (tmp_path / "door" / "engines.json").write_text(json.dumps([table("c"), table("a")]))
                over.set()

    await play(Run(load(file), observe, signals=False), over)
    assert set(texts) == {"rests: no game is left to play"}
    assert ended[:2] == [{"a", "b"}] * 2
    assert sorted(map(sorted, ended[2:])) == [["a", "c"], ["a", "c"], ["b", "c"], ["b", "c"]]


async def test_a_ladder_at_its_door_rests_and_an_engine_or_a_version_that_comes_in_wakes_it(
    tmp_path: Path,
) -> None:
    file = league(tmp_path, 'format = "ladder"', "games_per_pairing = 6", "[door]")
    door = tmp_path / "door" / "engines.json"
    handed_in = [[table("c", version="1")], [table("c", version="2")], []]
    run, rests = RunState("league", ""), []
    over = trio.Event()

    def observe(event: RunEvent) -> None:
        run.apply(event)
        if isinstance(event, Stage) and not over.is_set():
            rests.append((run.played, run.rests, dict(run.stages)))
            if handed_in:
                door.write_text(json.dumps(handed_in.pop(0)))
            else:
                over.set()
        elif isinstance(event, GameBegan):
            assert not run.rests

    await play(Run(load(file), observe, signals=False), over)
    reason = {"quoridor": "rests: every pair has played its games (games_per_pairing = 6)"}
    assert rests == [(games, True, reason) for games in (6, 18, 30, 30)]
    over = trio.Event()
    run, rests = RunState("league", ""), []
    await play(Run(load(file), observe, signals=False), over)
    assert [games for games, *_ in rests] == [0]


async def test_a_ladder_at_its_door_rests_after_max_games_and_goes_on_when_they_are_raised(
    tmp_path: Path,
) -> None:
    file = league(tmp_path, 'format = "ladder"', "max_games = 2", "[door]")
    text = file.read_text()
    printed, rests = StringIO(), []
    view = RunView(load(file), printed)
    over = trio.Event()

    def observe(event: RunEvent) -> None:
        view.observe(event)
        if isinstance(event, GameEnded):
            rests.append("game")
        if isinstance(event, Stage):
            rests.append(event.text)
            file.write_text(text.replace("max_games = 2", "max_games = 4"))
            if rests.count("game") == 4:
                over.set()

    await play(Run(load(file), observe, begin=view.begin, signals=False), over)
    reached = "rests: all games of max_games are played; it goes on when max_games is raised in the file"
    assert rests == ["game", "game", reached, "game", "game", reached]
    lines = [line for line in printed.getvalue().splitlines() if "rests" in line]
    assert lines == [f"league: quoridor {reached}"] * 2


async def test_a_ladder_without_a_door_ends_its_run_when_it_rests(tmp_path: Path) -> None:
    file = league(tmp_path, 'format = "ladder"', "games_per_pairing = 6")
    printed = StringIO()
    view = RunView(load(file), printed)
    with trio.fail_after(60):
        summary = await Run(load(file), view.observe, begin=view.begin, signals=False).play()
    assert (summary.played, summary.stopped) == (6, False)
    assert printed.getvalue() == (
        "league: quoridor rests: every pair has played its games (games_per_pairing = 6); it continues when"
        " an engine joins or changes\n"
    )
