"""Tests with engines that attack the machine: each loses only its own game, and leaves nothing behind."""

import os
import shutil
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from protocol.process.lifetime import VARIABLE
from tests.missing_tools import needs
from tests.processes import wait_for, with_argument
from tests.referee.test_process import HOSTILE, events, order, referee, tell
from tests.rights import stranger
from tests.tools import WORLD

pytestmark = [needs("linux"), pytest.mark.system]  # looks for processes in /proc

BWRAP = pytest.param("bwrap", marks=needs("bwrap"))
SLOW_BWRAP = pytest.param("bwrap", marks=[needs("bwrap"), pytest.mark.slow])
"""For what the referee does in the same way with and without a sandbox."""
SEEN = [sys.prefix, sys.base_prefix, str(HOSTILE.parent)]


def game(token, mode, box="none", control="60+0", cwd=None, **limits):
    """Return a job with a hostile engine, whose processes all have ``token`` in their command line."""
    job = order(mode, modes=("honest", mode))
    _, seat = job["seats"]
    seat["time_control"] = control
    seat["engine"] |= {"sandbox": box, "limits": limits, "readable": SEEN, "cwd": cwd}
    seat["engine"]["command"] = [sys.executable, "-S", str(HOSTILE), mode, token]
    return job


def peak_memory(pid):
    """Return the largest number of bytes that a process had in memory."""
    (line,) = [
        line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmHWM")
    ]
    return int(line.split()[1]) << 10


@pytest.fixture
def token():
    mark = f"hostile-{uuid.uuid4()}"
    yield mark
    for pid in with_argument(mark):
        os.kill(pid, 9)


def play(token, *jobs):
    """Play hostile games and an honest one at the same time, and another honest one afterwards.

    Returns:
        The results of the hostile games by id, and the memory that the referee used.
    """
    with referee(start=subprocess.Popen) as process:
        tell(process, *jobs, order("honest"))
        finished = {event["id"]: event for event in events(process, "finished", len(jobs) + 1)}
        memory = peak_memory(process.pid)
        tell(process, order("after"), {"do": "quit"})
        (after,) = events(process, "finished")
        assert process.wait(20) == 0
    wait_for(lambda: not with_argument(token), "processes are left")
    for honest in (finished.pop("honest"), after):
        assert (honest["termination"], honest["reason"]) == ("adjudicated", "length")
    return finished, memory


ATTACKS = {
    "prints-a-gigabyte-in-a-line": ("flood", "more than 8 MiB in one turn"),
    "prints-a-gigabyte-of-errors": ("time", "before its time was up"),
    "hogs-memory": ("crash", "MemoryError"),
    "writes-a-large-file": ("crash", "OSError: "),
    "leaves-a-daemon": (None, ""),
    "computes-after-quit": (None, ""),
}


@pytest.mark.parametrize("box", ["none", SLOW_BWRAP])
def test_each_attack_costs_one_game_and_nothing_else(token, box, tmp_path):
    jobs = [
        game(
            token,
            mode,
            box=box,
            control="0.2+0" if word == "time" else "60+0",
            cwd=str(tmp_path),
            memory=300 << 20,
        )
        for mode, (word, _) in ATTACKS.items()
    ]
    finished, memory = play(token, *jobs)
    for mode, (word, detail) in ATTACKS.items():
        assert finished[mode]["seats"][1]["forfeit"] == word, finished[mode]
        assert detail in finished[mode]["detail"]
        assert finished[mode]["seats"][0]["rank"] == 1
    assert memory < 100 << 20


@needs("prlimit", "another user")
@pytest.mark.parametrize(
    # The limit counts daemons like other processes, so one of the two shows it.
    "mode",
    [pytest.param("fork-bomb", marks=pytest.mark.slow), "fork-bomb-of-daemons"],
)
@pytest.mark.parametrize("box", ["none", BWRAP])
def test_a_fork_bomb_under_a_limit_costs_one_game(token, mode, box, public_folder):
    bomb = game(token, mode, box=box, control="0.2+0", processes=64)
    if os.geteuid() == 0 and box == "none":  # no limit on processes binds root
        user, python = stranger(), shutil.which("python3", path=WORLD)
        engine = shutil.copy(HOSTILE.with_name("hostile.py"), public_folder)
        Path(engine).chmod(0o644)
        become = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
        bomb["seats"][1]["engine"]["command"] = [*become, python, "-S", engine, mode, token]
    finished, _ = play(token, bomb)
    assert finished[mode]["seats"][1]["forfeit"] in ("time", "stall")


@pytest.mark.slow
def test_a_daemon_is_killed_while_its_engine_plays_on(token, monkeypatch):
    monkeypatch.setenv(VARIABLE, "none")  # in a process namespace it ends with its engine
    with referee() as process:
        job = game(token, "leaves-a-daemon")
        job["seats"][0]["engine"]["command"][-1] = "hangs-in-search"
        tell(process, job)
        events(process, "started")
        assert len(with_argument(token)) >= 1
        wait_for(lambda: len(with_argument(token)) == 1, "the daemon lives on")
        process.stdin.close()
        process.wait(20)
    wait_for(lambda: not with_argument(token), "processes are left")
