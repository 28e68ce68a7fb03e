"""Workers that cannot play a tournament: each is refused with a sentence before a game is played."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.arena.forked import arena
from tests.arena.workers.clusters import Cluster, cluster
from tests.arena.workers.test_dask import HOSTILE, words, write
from tests.missing_tools import needs
from tests.tools import find

pytestmark = pytest.mark.slow  # each worker takes seconds to start


def program(folder: Path, comment: str) -> dict[str, str]:
    """Install the program of an engine; return the environment in which it is found."""
    folder.mkdir()
    file = folder / "our-engine"
    file.write_text(f"#!/bin/sh\n# {comment}\nexec {sys.executable} -S {HOSTILE} honest\n")
    file.chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


def refusals(made: Cluster, folder: Path, environment: dict[str, str]) -> list[str]:
    """Run the tournament; return the lines of its error output about workers. No game is played."""
    done = arena(*words(made), cwd=folder, env=os.environ | environment)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert "played" not in done.stderr.replace("no worker can", "")
    return done.stderr.splitlines()


@needs("bwrap")
def test_each_worker_that_cannot_play_is_refused_with_a_sentence(tmp_path: Path) -> None:
    here = program(tmp_path / "here", "the engine of the hub")
    file = write(tmp_path, "honest", "honest")
    text = file.read_text().replace(
        "[defaults]", f'[defaults]\nsandbox = "bwrap"\nreadable = ["{HOSTILE.parent}"]'
    )
    ours = '[[engines]]\nname = "ours"\ncommand = ["our-engine"]\nsandbox = "none"\n'
    file.write_text(f"{text}\n{ours}")

    with cluster(tmp_path) as made:
        made.start_worker("walls", "--cores", "1", environment=here, hidden=Path(find("bwrap") or ""))
        made.wait_for_worker("walls")
        lines = refusals(made, tmp_path, here)
        assert [line for line in lines if "walls: this worker has no sandbox for a: " in line], lines
        assert lines[-1].startswith("error: no worker can play this tournament: worker walls has no sandbox")

        made.kill_worker("walls")
        made.start_worker("other", "--cores", "1", environment=program(tmp_path / "there", "another one"))
        made.wait_for_worker("other")
        lines = refusals(made, tmp_path, here)
        assert lines[-1] == (
            "error: no worker can play with ours: worker other: its program"
            f" {tmp_path}/there/our-engine is another one than on the hub; install the same version"
        )
