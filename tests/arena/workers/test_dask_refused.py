"""Workers that cannot play a tournament: each is refused with a sentence before a game is played."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.arena.forked import arena
from tests.arena.run.test_faults_machine import small_disk
from tests.arena.workers.clusters import Cluster, cluster
from tests.arena.workers.test_dask import HOSTILE, assert_complete, stored, words, write
from tests.faulty_machine import FaultyMachine, build_library
from tests.missing_tools import needs
from tests.processes import wait_for
from tests.tools import find

pytestmark = pytest.mark.slow  # each worker takes seconds to start


def program(folder: Path, comment: str) -> dict[str, str]:
    """Install the program of an engine; return the environment in which it is found."""
    folder.mkdir()
    file = folder / "our-engine"
    file.write_text(f"#!/bin/sh\n# {comment}\nexec {sys.executable} -S {HOSTILE} honest\n")
    file.chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


def wrong_clock(folder: Path, seconds: int) -> dict[str, str]:
    """Return the environment of a machine whose clock is ahead by this many seconds."""
    machine = FaultyMachine(folder / "clock", build_library(folder))
    machine.set(clock=seconds)
    return machine.environment


def refusals(made: Cluster, folder: Path, environment: dict[str, str]) -> list[str]:
    """Run the tournament; return the lines of its error output about workers. No game is played."""
    done = arena(*words(made), cwd=folder, env=os.environ | environment)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert "played" not in done.stderr.replace("no worker can", "")
    return done.stderr.splitlines()


@needs("bwrap", "cc", "mount")
def test_each_worker_that_cannot_play_is_refused_with_a_sentence(tmp_path: Path) -> None:
    here = program(tmp_path / "here", "the engine of the hub")
    file = write(tmp_path, "honest", "honest")
    text = file.read_text().replace(
        "[defaults]", f'[defaults]\nsandbox = "bwrap"\nreadable = ["{HOSTILE.parent}"]'
    )
    ours = '[[engines]]\nname = "ours"\ncommand = ["our-engine"]\nsandbox = "none"\n'
    file.write_text(f"{text}\n{ours}")

    older = tmp_path / "older" / "leapfrog_arena-0.0.1.dist-info"
    older.mkdir(parents=True)
    (older / "METADATA").write_text("Metadata-Version: 2.1\nName: leapfrog-arena\nVersion: 0.0.1\n")
    ahead = wrong_clock(tmp_path, 3600)
    with small_disk(tmp_path / "disk") as disk, cluster(tmp_path) as made:
        environments = {
            "older": here | {"PYTHONPATH": str(older.parent)},
            "clock": here | ahead,
            "walls": here,
            "disk": here | {"TMPDIR": str(disk)},
        }
        for name, environment in environments.items():
            hidden = Path(find("bwrap") or "") if name == "walls" else None
            made.start_worker(name, "--cores", "1", environment=environment, hidden=hidden)
        for name in environments:
            made.wait_for_worker(name)
        lines = refusals(made, tmp_path, here)
        for name, start in {
            "older": "has leapfrog-arena 0.0.1, but the hub has ",
            "clock": "has a clock that is 3600 s ahead; set the clock of the machine",
            "walls": "has no sandbox for a: ",
            "disk": "has only 0 MiB of disk left for temporary files; free some",
        }.items():
            assert [line for line in lines if f"{name}: this worker {start}" in line], (name, lines)
            assert f"worker {name} {start}" in lines[-1]
        assert lines[-1].startswith("error: no worker can play this tournament: ")

        for name in environments:
            made.kill_worker(name)
        made.start_worker("other", "--cores", "1", environment=program(tmp_path / "there", "another one"))
        made.wait_for_worker("other")
        lines = refusals(made, tmp_path, here)
        assert lines[-1] == (
            "error: no worker can play with ours: worker other: its program"
            f" {tmp_path}/there/our-engine is another one than on the hub; install the same version"
        )


@needs("cc")
@pytest.mark.parametrize("seconds", [3600, -3600])
def test_a_clock_of_the_hub_that_is_set_loses_no_worker(tmp_path: Path, seconds: int) -> None:
    file = write(tmp_path, "thinks-a-little", "thinks-a-little", games_per_pairing=8)
    machine = FaultyMachine(tmp_path / "clock", build_library(tmp_path))
    with cluster(tmp_path, "w") as made:
        command = [sys.executable, "-m", "arena", *words(made)]
        with subprocess.Popen(
            command, cwd=tmp_path, env=os.environ | machine.environment, stderr=subprocess.PIPE, text=True
        ) as hub:
            try:
                wait_for(lambda: stored(tmp_path) >= 1, "no game was stored")
                machine.set(clock=seconds)
                _, err = hub.communicate(timeout=120)
            finally:
                hub.kill()
    assert hub.returncode == 0, err
    assert "gives no sign of life" not in err
    assert_complete(file)


@needs("cc")
def test_the_clock_of_the_scheduler_may_be_wrong(tmp_path: Path) -> None:
    file = write(tmp_path, "honest", "honest")
    with cluster(tmp_path, "w", environment=wrong_clock(tmp_path, -3600)) as made:
        done = arena(*words(made), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert_complete(file)
