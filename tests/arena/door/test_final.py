"""The final of a course: its file, and the games in it."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import pytest

from arena.config import load
from arena.door.folder import DoorFolder
from arena.door.register import DoorRegister, State
from arena.door.upload import ArchiveLimits, SourceFile, packed, remote_plan
from arena.door.worker import DoorWorker
from arena.model import GameRecord
from arena.store import Store
from tests.arena.door.test_remote import BOT
from tests.arena.forked import arena
from tests.missing_tools import needs

FILE = """
game = "quoridor"
format = "ladder"
games_per_pairing = 4
time_control = "10+0.1"
concurrency = 1
log = "transcripts"
adjudication.plies = 6
[openings]
kind = "random"
plies = 2
[door]
bots = "both"
[[engines]]
name = "first"
command = "sample:random"
[[engines]]
name = "second"
command = "sample:random"
"""
PAGE = Path(__file__).parents[3] / "docs" / "howto" / "marks.md"
HOME = "at home"

pytestmark = needs("bwrap")


def course(folder: Path, record: Callable[..., GameRecord], *names: str) -> Path:
    """Return the file of a course in which the later of these bots have won against the earlier ones."""
    folder.chmod(0o755)
    file = folder / "course.toml"
    file.write_text(FILE)
    spec, built = load(file), DoorFolder(folder / "door")
    assert spec.door is not None
    with closing(Store.open(spec.database, create=True)) as store:
        register = DoorRegister(store, spec.name)
        for name in (*names, HOME):
            who, plan = (
                register.invite({name: name})[0],
                {"command": ["{python}", "bot.py", "0"], "build": []},
            )
            if name == HOME:
                plan = asdict(remote_plan(name))
            version = register.hand_in(who.id, name, "x", plan, 5)
            files = (SourceFile("bot.py", BOT.read_bytes(), False),)
            built.install(version.id, packed(files), ArchiveLimits(1 << 20, 9))
            register.move_on(version.id, State.PLAYS)
        DoorWorker(spec, spec.door, register, built).publish()
        store.begin_tournament(spec.name, load(file).settings())
        pairs = [(b, a) for place, a in enumerate(names) for b in names[place + 1 :]]
        games = [
            record((winner, 1), (loser, 2), number=number, key=f"quoridor:{number}", tournament=spec.name)
            for number, (winner, loser) in enumerate(pairs)
        ]
        if games:
            store.add_games(games)
    return file


@pytest.mark.parametrize(("count", "pools", "finalists"), [(3, 1, 2), (8, 2, 4)])
def test_the_file_of_a_final_has_the_strongest_first_and_the_sandbox_of_the_door(
    tmp_path: Path, record: Callable[..., GameRecord], count: int, pools: int, finalists: int
) -> None:
    names = [f"bot {number}" for number in range(count)]
    file = course(tmp_path, record, *names)
    done = arena("door", "final", file, cwd=tmp_path)
    assert done.stderr == f"not in the final, because they play from home: {HOME}\n"
    final, before = tomllib.loads(done.stdout), load(file)
    assert [engine["name"] for engine in final["engines"]] == names[::-1]
    assert final["stages"] == [
        {"name": "pools", "format": "round-robin", "pools": pools},
        {"name": "play-offs", "format": "knockout", "engines": finalists},
    ]
    (tmp_path / "final.toml").write_text(done.stdout)
    after = load(tmp_path / "final.toml")
    kept = {entry.spec.name: entry.spec for entry in before.engines}
    assert all(entry.spec == kept[entry.spec.name] for entry in after.engines)
    assert {entry.spec.sandbox for entry in after.engines} == {"bwrap"}
    assert (after.adjudication, after.openings) == (before.adjudication, before.openings)
    assert after.log != before.log
    assert after.database != before.database


def test_a_final_needs_two_engines_that_were_handed_in(
    tmp_path: Path, record: Callable[..., GameRecord]
) -> None:
    done = arena("door", "final", course(tmp_path, record, "ann"), cwd=tmp_path)
    sentence = f"{tmp_path}/course.toml: a final needs two engines that were handed in and play now"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"error: {sentence}\n")


def test_a_final_is_played_by_the_commands_of_the_page(
    tmp_path: Path, record: Callable[..., GameRecord]
) -> None:
    course(tmp_path, record, "ann", "ben", "cleo")
    (block,) = re.findall(r"```sh\n(arena door final .*?)```", PAGE.read_text(), re.DOTALL)
    for line in block.splitlines():
        words, _, output = line.removeprefix("arena ").partition(" > ")
        done = arena(*shlex.split(words), cwd=tmp_path, timeout=300)
        assert done.returncode == 0, done.stderr
        if output:
            (tmp_path / output).write_text(done.stdout)
    assert all(name in done.stdout for name in ("cleo", "ben", "ann"))
    with closing(Store.open(tmp_path / "final.db", create=False)) as store:
        assert [info.name for info in store.tournaments()] == ["course, final"]
        assert {name for result in store.results() for name in (p.name for p in result.players)} == {
            "ann",
            "ben",
            "cleo",
        }
