"""A machine that has no more processes or disk space."""

import subprocess
import sys
from contextlib import contextmanager

import pytest

from tests.arena.run.test_faults import ENDLESS, finish, wait_for_games
from tests.arena.run.test_run_process import (
    engines_alive,
    results,
    running,
    write,
)
from tests.faulty_machine import FaultyMachine, build_library
from tests.missing_tools import needs
from tests.referee.test_process import HOSTILE, events, order, referee, tell

pytestmark = pytest.mark.system

faulty = needs("linux", "cc")
EAGAIN = "Resource temporarily unavailable"


def change(file, changes):
    text = file.read_text()
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)


# --- no process can be started


def walled(mode, *arguments, env=None):
    """Return the job of a game with an engine in bubblewrap."""
    job = order(mode, modes=("honest", mode))
    _, seat = job["seats"]
    seat["engine"]["command"] += arguments
    seat["engine"] |= {
        "sandbox": "bwrap",
        "readable": [sys.prefix, sys.base_prefix, str(HOSTILE.parent)],
        "env": env or {},
    }
    return job


@needs("bwrap")
@faulty
def test_bubblewrap_that_cannot_start_the_engine_is_the_machines_fault(tmp_path):
    spared_machine = FaultyMachine(tmp_path / "machine", build_library(tmp_path))
    with referee() as process:
        for exhausted, termination in ((1, "void"), (0, "adjudicated"), (1, "adjudicated")):
            spared_machine.set(exhausted=exhausted)  # in the last game the engine runs already
            tell(process, walled("honest", env=spared_machine.environment))
            (event,) = events(process, "finished")
            assert event["termination"] == termination, event
            if termination == "void":
                assert (
                    f"cannot start another process: bwrap: Creating new namespace failed: {EAGAIN}"
                    in (event["detail"])
                )


@needs("bwrap")
def test_an_engine_cannot_pass_for_bubblewrap_that_failed():
    lie = f"import os, sys; os.write(2, b'bwrap: Creating new namespace failed: {EAGAIN}\\n'); os._exit(1)"
    with referee() as process:
        tell(process, walled("tells-what-it-sees", lie))
        (event,) = events(process, "finished")
        assert event["seats"][1]["forfeit"] == "crash"
        assert "exit code 1 after 'ugi'; its standard error says: bwrap: Creating new" in event["detail"]
        assert event["detail"].endswith(EAGAIN)


# --- the disk is full


@contextmanager
def small_disk(folder, *options):
    """Mount a file system of 600 kB in memory, for tests that need "mount"."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", ",".join(("size=600k", *options)), "none", str(folder)]
    subprocess.run(mount, check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(disk):
    """Fill a disk."""
    with (disk / "filler").open("wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            return


@needs("mount")
def test_a_disk_that_fills_up_ends_the_run_and_the_same_command_goes_on_when_there_is_room(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # the last game is saved there
    with small_disk(tmp_path / "disk") as disk:
        file = write(disk, ("a", "honest"), ("b", "honest"), games_per_pairing=ENDLESS, concurrency=1)
        with running(file) as process:
            wait_for_games(file, 3)
            fill(disk)
            _, err = process.communicate(timeout=60)
        assert process.returncode == 2, err
        last = err.splitlines()[-1]
        assert "arena.db: the disk " in last
        assert "make room and start again" in last
        assert "Traceback" not in err
        assert not engines_alive(disk)
        (disk / "filler").unlink()
        before = results(disk)
        assert len(before) >= 3
        finish(file)
        assert results(disk)[: len(before)] == before
