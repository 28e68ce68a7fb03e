"""A machine whose clock is set, or that has no more processes, open files or disk space."""

import os
import resource
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing, contextmanager
from functools import cache

import psutil
import pytest

from tests.arena.forked import arena
from tests.arena.run.test_faults import ENDLESS, finish, wait_for_games
from tests.arena.run.test_run_process import (
    ARENA,
    assert_complete,
    engines_alive,
    results,
    running,
    started,
    stored,
    write,
)
from tests.faulty_machine import FaultyMachine, build_library
from tests.missing_tools import needs
from tests.processes import children, engines
from tests.referee.test_process import HOSTILE, events, order, referee, tell
from tests.rights import without_root_warning

pytestmark = pytest.mark.system

SHORT = {"plies = 12": "plies = 2"}
faulty = needs("linux", "cc")
EAGAIN = "Resource temporarily unavailable"


def change(file, changes):
    text = file.read_text()
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)


# --- the clock is set, or no process can be started


library = cache(build_library)


@pytest.fixture
def spared_machine(tmp_path, tmp_path_factory):
    """A faulty machine only for programs that are started with its environment."""
    return FaultyMachine(tmp_path / "machine", library(tmp_path_factory.getbasetemp()))


@pytest.fixture
def machine(spared_machine, monkeypatch):
    """A faulty machine for referees, engines, and an arena that `started` starts."""
    for name, value in spared_machine.environment.items():
        monkeypatch.setenv(name, value)
    return spared_machine


def dates(folder):
    with closing(sqlite3.connect(folder / "arena.db")) as database:
        return [date for (date,) in database.execute("SELECT started FROM game ORDER BY id")]


@faulty
def test_a_clock_that_is_set_costs_no_game(tmp_path, machine):
    thinking = (("a", "thinks-a-little"), ("b", "thinks-a-little"))
    file = write(tmp_path, *thinking, games_per_pairing=6, concurrency=1)
    change(file, SHORT | {'"60+0"': '"0.9+0.5"'})
    with started(file) as process:
        for games, seconds in ((1, 3600), (3, -3600)):
            wait_for_games(file, games)
            machine.set(clock=seconds)  # while a game is being played
        _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert {result.termination for result in results(tmp_path)} == {"adjudicated"}
    assert_complete(file)
    first, *others, last = dates(tmp_path)
    assert max(others) - first > 3500  # only the dates show that the clock was set
    assert first - last > 3500


def put_to_sleep(process, machine, seconds):
    """Let arena, its referees and engines sleep as a machine does: the monotonic clocks stand meanwhile."""
    everybody = [process.pid, *(child.pid for child in psutil.Process(process.pid).children(recursive=True))]
    for pid in everybody:
        os.kill(pid, signal.SIGSTOP)
    begun = time.monotonic_ns()
    time.sleep(seconds)
    machine.set(slept=time.monotonic_ns() - begun)
    for pid in everybody:
        os.kill(pid, signal.SIGCONT)


@faulty
def test_a_machine_that_sleeps_costs_no_game_and_no_time(tmp_path, machine):
    thinking = (("a", "thinks-a-little"), ("b", "thinks-a-little"))
    file = write(tmp_path, *thinking, games_per_pairing=4, concurrency=1)
    change(file, SHORT | {'"60+0"': '"0.9+0.5"'})
    with started(file) as process:
        wait_for_games(file, 1)
        put_to_sleep(process, machine, 4)  # for longer than an engine may think, and a referee be stopped
        _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "played again" not in err
    assert [result.termination for result in results(tmp_path)] == ["adjudicated"] * 4
    assert_complete(file)
    with closing(sqlite3.connect(tmp_path / "arena.db")) as database:
        ((longest,),) = database.execute("SELECT max(duration) FROM game")
    assert longest < 4_000_000_000


@pytest.mark.slow  # `test_runner.py` blames no engine either, without processes
@faulty
def test_a_machine_without_processes_blames_no_engine_for_the_games_that_cannot_begin(tmp_path, machine):
    file = write(tmp_path, ("a", "honest"), ("b", "honest"), games_per_pairing=ENDLESS, concurrency=1)
    with started(file) as process:
        wait_for_games(file, 1)
        (referee,) = children(process.pid)
        machine.set(exhausted=1)
        os.kill(engines(referee)[0], signal.SIGKILL)  # so that it must be replaced
        _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    last = err.splitlines()[-1]
    assert "3 games in a row could not be played, and no engine is at fault; " in last
    assert "against b: this machine cannot start another process: " in last or "against a: " in last
    assert err.splitlines()[-1].endswith(EAGAIN)
    assert "Traceback" not in err
    assert not engines_alive(tmp_path)
    counted = Counter(result.termination for result in results(tmp_path))
    assert counted["void"] == 3
    assert counted["crash"] <= 1  # the game of the engine that was killed, if it was playing
    machine.set()
    finish(file)


@faulty
@pytest.mark.parametrize("exhausted", [1, 2])
def test_an_arena_that_cannot_start_its_referees_ends_with_one_message(tmp_path, machine, exhausted):
    file = write(tmp_path, ("a", "honest"), ("b", "honest"), games_per_pairing=2, concurrency=1)
    machine.set(exhausted=exhausted)
    with started(file) as process:
        _, err = process.communicate(timeout=120)
    assert process.returncode == 2, err
    assert "Traceback" not in err
    assert all(line.startswith("error: this machine ") for line in without_root_warning(err).splitlines()), (
        err
    )
    assert not engines_alive(tmp_path)


@faulty
def test_a_referee_without_processes_plays_on_when_there_are_some_again(machine):
    with referee() as process:
        events(process, "ready")
        for exhausted, mode, termination in (
            (2, "honest", "void"),
            (0, "honest", "adjudicated"),
            (1, "answers-twice", "void"),
            (0, "answers-twice", "adjudicated"),
        ):
            machine.set(exhausted=exhausted)
            tell(process, order(modes=(mode, mode)))
            (event,) = events(process, "finished")
            assert event["termination"] == termination, event
        assert len(engines(process.pid)) == 4  # engines that could not start have not started later
        tell(process, {"do": "quit"})
        assert process.wait(20) == 0


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
def test_bubblewrap_that_cannot_start_the_engine_is_the_machines_fault(spared_machine):
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


# --- no more descriptors


def assert_it_plays_or_says_why(run, played=0):
    assert run.returncode in (played, 2), run
    assert "Traceback" not in run.stderr
    assert (run.returncode == 2) == ("error: " in (run.stderr.splitlines() or [""])[-1]), run


def limited(files, *arguments, cwd):
    if files in SOME:
        return arena(*arguments, cwd=cwd, timeout=60, limits={resource.RLIMIT_NOFILE: files})
    command = ["prlimit", f"--nofile={files}", *ARENA, *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=60)


SOME = (5, 10, 14, 19)
"""At these a forked process runs out of them at its first file, the database, the referee, the engine."""
files = pytest.mark.parametrize(
    "count", [pytest.param(n, marks=[] if n in SOME else pytest.mark.slow) for n in range(5, 65)]
)


@needs("prlimit")
@files
def test_a_tournament_with_few_descriptors_is_played_or_ends_with_one_message(tmp_path, count):
    file = write(tmp_path, ("a", "honest"), ("b", "honest"), games_per_pairing=2, concurrency=1)
    run = limited(count, "run", "t.toml", cwd=tmp_path)
    assert_it_plays_or_says_why(run)
    assert run.returncode == 2 or count > 20  # the first call that fails depends on the interpreter
    if stored(file):  # else there is no database, or an empty one
        ends = {result.termination for result in results(tmp_path)}
        assert ends <= ({"void"} if run.returncode else {"adjudicated"})


@needs("prlimit")
@files
def test_a_single_game_with_few_descriptors_is_played_or_ends_with_one_message(tmp_path, count):
    command = shlex.join([sys.executable, "-S", str(HOSTILE)])
    seats = ("--seat", f"{command} honest", "--seat", f"{command} plays-illegal")
    run = limited(count, "play", "quoridor", *seats, "--quiet", cwd=tmp_path)
    assert_it_plays_or_says_why(run, played=1)
    assert ("player 1 wins: illegal" in run.stdout) == (run.returncode == 1)


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
        assert "arena.db: the disk is full; make room and start again, all stored games are safe" in last
        assert "Traceback" not in err
        assert not engines_alive(disk)
        (disk / "filler").unlink()
        before = results(disk)
        assert len(before) >= 3
        finish(file)
        assert results(disk)[: len(before)] == before


@needs("mount")
def test_a_transcript_that_a_full_disk_cuts_off_costs_no_game(tmp_path):
    with small_disk(tmp_path / "disk") as disk:
        write(
            tmp_path,
            ("a", "honest"),
            ("b", "honest"),
            games_per_pairing=4,
            log=f'"{disk}/logs"',
            concurrency=1,
        )
        fill(disk)
        run = arena("run", "t.toml", cwd=tmp_path)
        assert run.returncode == 0, run.stderr
        assert {result.termination for result in results(tmp_path)} == {"adjudicated"}
        logs = list((disk / "logs").iterdir())
        assert len(logs) == 8
        assert not any("the game is over" in log.read_text() for log in logs)


@needs("mount")
def test_a_transcript_that_cannot_be_begun_makes_its_game_void(tmp_path):
    with small_disk(tmp_path / "disk", "nr_inodes=5") as disk:
        write(
            tmp_path,
            ("a", "honest"),
            ("b", "honest"),
            games_per_pairing=4,
            log=f'"{disk}/logs"',
            concurrency=1,
        )
        run = arena("run", "t.toml", cwd=tmp_path)
        assert run.returncode == 2
        last = run.stderr.splitlines()[-1]
        assert "3 games in a row could not be played, and no engine is at fault; the last one is " in last
        assert "the transcript cannot be written: " in last
        assert "No space left on device" in last
        assert Counter(result.termination for result in results(tmp_path)) == {"adjudicated": 1, "void": 3}
