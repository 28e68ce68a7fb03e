"""Workers, scheduler, hub and their children are killed and stopped at random: every game counts once."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.arena.forked import Forked, arena, forked
from tests.arena.workers.clusters import Cluster, cluster
from tests.arena.workers.test_dask import HOSTILE, QUICK, assert_complete, stored, words, write
from tests.processes import wait_for, with_argument
from tests.seeds import seeds


def standings(file: Path) -> list[str]:
    done = arena("standings", "t", "--db", str(file.parent / "arena.db"), "--format", "csv", cwd=file.parent)
    return done.stdout.splitlines()


def batches(folder: Path) -> list[int]:
    """The processes of `arena worker` of the workers that were started in this folder."""
    return [pid for pid in with_argument("arena worker -") if _of(pid, folder)]


def _of(pid: int, folder: Path) -> bool:
    try:
        return psutil.Process(pid).environ().get("ARENA_CLUSTER") == str(folder)
    except psutil.Error:
        return False


@pytest.mark.slow  # it starts a run three times; what happens to the games is also tested without a cluster
def test_a_killed_hub_leaves_nobody_who_plays_and_the_same_command_goes_on(tmp_path: Path) -> None:
    file = write(tmp_path, "thinks-a-little", "thinks-a-little", games_per_pairing=12)
    with cluster(tmp_path, "w1", "w2") as made:
        with forked(*words(made), cwd=tmp_path) as hub:
            wait_for(lambda: stored(tmp_path) >= 2, "no game was stored")
            hub.kill()
            hub.wait()
            wait_for(lambda: not with_argument(str(HOSTILE)), "engines outlive a killed hub")
        before = stored(tmp_path)
        assert before < 12
        with forked(*words(made), cwd=tmp_path) as hub:
            wait_for(lambda: stored(tmp_path) > before, "no game was stored")
            hub.send_signal(signal.SIGINT)
            hub.communicate(60)
            assert hub.returncode == 130
            assert "stopped; continue with: " in hub.stderr
        done = arena(*words(made), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert_complete(file)


@pytest.mark.slow  # a lost worker is noticed after seconds
def test_a_stopped_worker_is_given_up_and_no_game_counts_twice(tmp_path: Path) -> None:
    file = write(tmp_path, "thinks-a-little", "thinks-a-little", games_per_pairing=10)
    with cluster(tmp_path, "w1", "w2") as made, forked(*words(made), cwd=tmp_path, settings=QUICK) as hub:
        wait_for(lambda: stored(tmp_path) >= 2, "no game was stored")
        made.workers["w1"].send_signal(signal.SIGSTOP)
        wait_for(lambda: "w1: this worker gives no sign of life" in hub.stderr, "it is not given up")
        made.workers["w1"].send_signal(signal.SIGCONT)
        hub.communicate(120)
        assert hub.returncode == 0, hub.stderr
    assert_complete(file)


class Chaos:
    """Faults in a cluster, drawn at random."""

    def __init__(self, made: Cluster, folder: Path, draw: random.Random) -> None:
        self.made = made
        self.folder = folder
        self.draw = draw
        self.hub: Forked | None = None

    def one(self) -> None:
        faults: list[Callable[[], None]] = [
            self.kill_worker,
            self.kill_worker,
            self.kill_child,
            self.kill_child,
            self.stop_worker,
            self.kill_scheduler,
            self.kill_hub,
        ]
        self.draw.choice(faults)()

    def kill_worker(self) -> None:
        name = self.draw.choice(sorted(self.made.workers))
        self.made.kill_worker(name)
        self.made.start_worker(name, "--cores", "1")

    def kill_child(self) -> None:
        """Kill a process of `arena worker`, or a referee or an engine below it."""
        for pid in self.draw.sample(running := batches(self.folder), len(running)):
            try:
                victims = [pid, *(child.pid for child in psutil.Process(pid).children(recursive=True))]
                os.kill(self.draw.choice(victims), signal.SIGKILL)
            except (psutil.Error, ProcessLookupError):
                continue
            return

    def stop_worker(self) -> None:
        process = self.made.workers[self.draw.choice(sorted(self.made.workers))]
        process.send_signal(signal.SIGSTOP)
        time.sleep(self.draw.choice((0.5, 6)))
        process.send_signal(signal.SIGCONT)

    def kill_scheduler(self) -> None:
        self.made.kill_scheduler()
        time.sleep(self.draw.random())
        self.made.start_scheduler()

    def kill_hub(self) -> None:
        assert self.hub is not None
        self.hub.send_signal(self.draw.choice((signal.SIGKILL, signal.SIGINT)))


@pytest.mark.slow  # a minute and a half of faults
@pytest.mark.parametrize("seed", seeds(1))
def test_every_game_counts_once_and_the_table_is_the_same_although_parts_are_killed(
    tmp_path: Path, seed: int
) -> None:
    keys = {"games_per_pairing": 200, "openings": '{kind = "random", plies = 2}'}
    file = write(tmp_path, "honest", "answers-twice", "resigns", "ignores-quit", "honest", **keys)
    draw = random.Random(seed)
    os.environ["ARENA_CLUSTER"] = str(tmp_path)
    with cluster(tmp_path, "w1", "w2", "w3", "w4") as made:
        chaos = Chaos(made, tmp_path, draw)
        end = time.monotonic() + 90
        while time.monotonic() < end:
            with forked(*words(made), cwd=tmp_path, settings=QUICK) as hub:
                chaos.hub = hub
                while hub.returncode is None and time.monotonic() < end:
                    time.sleep(draw.uniform(1, 5))
                    chaos.one()
        done = arena(*words(made), cwd=tmp_path, timeout=600)
        assert done.returncode == 0, done.stderr
        assert_complete(file)
        wait_for(lambda: not batches(tmp_path), "a batch is left")
    wait_for(lambda: not with_argument(str(HOSTILE)), "engines are left")
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "t.toml").write_text(file.read_text())
    assert arena("run", "t.toml", cwd=alone, timeout=600).returncode == 0
    assert standings(file) == standings(alone / "t.toml")
