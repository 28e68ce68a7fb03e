"""Engines that a tournament builds: on this machine, or on the workers that play with them."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest
import trio

from arena.errors import ArenaError
from arena.run import engines
from arena.workers.engine_files import adapted, build, files_of, packed, unpack
from protocol.spec import EngineSpec
from tests.arena.forked import arena, forked
from tests.arena.workers.clusters import cluster
from tests.arena.workers.test_dask import HOSTILE, words
from tests.processes import wait_for

SOURCE = f"#!/bin/sh\nexec {sys.executable} -S {HOSTILE} MODE\n"
BUILD = ["echo once >> log", "sed s/MODE/$MODE/ engine.in > engine", "chmod +x engine"]


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "engine.in").write_text(SOURCE)
    return folder


def tournament(folder: Path, *build: str) -> Path:
    file = folder / "t.toml"
    file.write_text(f"""
        game = "quoridor"
        time_control = "60+0"
        games_per_pairing = 2
        [adjudication]
        plies = 4
        [defaults]
        margin = 30000
        [[engines]]
        name = "built"
        command = "mine/engine"
        cwd = "mine"
        env = {{ MODE = "honest" }}
        build = {list(build)}
        [[engines]]
        name = "other"
        command = ["{{python}}", "-S", "{HOSTILE}", "honest"]
    """)
    return file


def test_an_engine_is_built_before_its_first_game(sources: Path, tmp_path: Path) -> None:
    tournament(tmp_path, *BUILD)
    forecast = arena("run", "t.toml", "--dry-run", cwd=tmp_path)
    assert "built is built here, before the first game: echo once >> log && sed" in forecast.stdout
    assert not (sources / "log").exists()
    done = arena("run", "t.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "built: building it: echo once >> log && sed" in done.stderr
    assert (sources / "engine").read_text() == SOURCE.replace("MODE", "honest")


@pytest.mark.system
def test_games_go_on_while_an_engine_is_built_that_joins_a_running_ladder(
    sources: Path, tmp_path: Path
) -> None:
    ladder = tournament(tmp_path, "while [ ! -e ../go ]; do sleep 0.02; done", *BUILD)
    both = ladder.read_text().replace("games_per_pairing = 2", 'format = "ladder"\nconcurrency = 1')
    first = both.index("[[engines]]")
    joins, other = both[first:].split("[[engines]]")[1:]
    twice = other.replace('"other"', '"another"')
    ladder.write_text(f"{both[:first]}[[engines]]{other}[[engines]]{twice}")
    with forked("run", "t.toml", cwd=tmp_path) as process:
        wait_for(lambda: "another" in process.stderr, "no game ends")
        ladder.write_text(f"{both[:first]}[[engines]]{other}[[engines]]{twice}[[engines]]{joins}")
        wait_for(lambda: "built: building it" in process.stderr, "the file is not read again")
        before = process.stderr.count("\n")
        wait_for(lambda: process.stderr.count("\n") > before + 5, "no game ends while the engine is built")
        assert "read again" not in process.stderr
        (tmp_path / "go").touch()
        wait_for(lambda: "read again: new: built" in process.stderr, "the build does not end")
        before = len(process.stderr)
        wait_for(lambda: "built" in process.stderr[before + 60 :], "the engine plays no game")
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        (
            "echo first; echo no such thing >&2; exit 3",
            "its build failed with exit code 3:\n  first\n  no such",
        ),
        ("exit 1", "its build failed with exit code 1, and printed nothing"),
        ("kill -9 $$", "its build failed with a signal (Killed), and printed nothing"),
        ("true", "its build ended well, but"),
    ],
)
def test_an_engine_that_cannot_be_built_ends_the_run_before_a_game(
    command: str, problem: str, sources: Path, tmp_path: Path
) -> None:
    tournament(tmp_path, command)
    done = arena("run", "t.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert f"error: engine built: {problem}" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "arena.db").exists()


def test_sources_without_a_folder_of_their_own_are_refused(sources: Path, tmp_path: Path) -> None:
    file = tournament(tmp_path, "make")
    file.write_text(file.read_text().replace('cwd = "mine"\n', ""))
    done = arena("run", "t.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert "the engine needs the key cwd, too: the folder of its sources, where it is built" in done.stderr


def test_a_build_that_takes_too_long_is_killed_with_all_its_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "BUILD_SECONDS", 0.1)
    with pytest.raises(ArenaError, match="its build did not end within 0 seconds"):
        trio.run(engines.build, ("(sleep 0.6; touch late) & wait",), str(tmp_path), {})
    time.sleep(1)
    assert list(tmp_path.iterdir()) == []


def test_a_worker_builds_the_sources_of_an_engine_once(sources: Path, tmp_path: Path) -> None:
    (sources / "engine").write_text("a program of the hub, for another machine")
    engine = EngineSpec("e", (str(sources / "engine"),), cwd=str(sources), env={"MODE": "built-here"})
    files = files_of(engine, tmp_path, tuple(BUILD))
    assert list(files.files) == [str(sources / "engine.in")]
    folder = unpack(files, packed(files), tmp_path / "cache")
    for _ in range(2):
        assert build(files, tmp_path / "cache") == ""
    there = Path(adapted(engine, files, folder, tmp_path).command[0])
    assert there.is_relative_to(folder)
    assert "built-here" in there.read_text()
    assert there.with_name("log").read_text() == "once\n"


def test_a_worker_says_why_it_cannot_build_and_tries_again(sources: Path, tmp_path: Path) -> None:
    engine = EngineSpec("e", (str(sources / "engine"),), cwd=str(sources))
    files = files_of(engine, tmp_path, (f"cp {tmp_path}/compiler engine",))
    unpack(files, packed(files), tmp_path / "cache")
    assert "its build failed with exit code 1:\n  cp: " in build(files, tmp_path / "cache")
    (tmp_path / "compiler").write_text("now it is installed")
    assert build(files, tmp_path / "cache") == ""


def test_other_commands_or_variables_make_another_engine(sources: Path, tmp_path: Path) -> None:
    def digest(command: str, **env: str) -> str:
        engine = EngineSpec("e", (str(sources / "engine"),), cwd=str(sources), env=env)
        return files_of(engine, tmp_path, (command,)).digest

    assert len({digest("make"), digest("make fast"), digest("make", CC="clang")}) == 3


@pytest.mark.slow  # workers start
def test_workers_build_the_engines_that_they_play_with(sources: Path, tmp_path: Path) -> None:
    tournament(tmp_path, *BUILD)
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    with cluster(tmp_path) as made:
        made.start_worker("w", environment={"XDG_CACHE_HOME": str(tmp_path / "cache")})
        done = arena(*words(made), cwd=tmp_path, env=environment)
        assert done.returncode == 0, done.stderr
        assert not (sources / "engine").exists()
        assert len(list((tmp_path / "cache").rglob("mine/engine"))) == 1
        tournament(tmp_path, "echo no compiler here; exit 4")
        done = arena(*words(made), "--db", "other.db", cwd=tmp_path, env=environment)
        assert done.returncode == 2
        assert (
            "no worker can play with built: worker w: its build failed with exit code 4:\n  no compiler here"
            in done.stderr
        )
