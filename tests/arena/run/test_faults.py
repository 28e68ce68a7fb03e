"""Faults of the machine during a run: no stored game is lost, and no engine is blamed."""

import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from arena.cli.program import INTERRUPTED
from arena.errors import ArenaError
from arena.run.cores import ANY
from arena.run.local_referees import open_referees
from tests.arena.forked import arena
from tests.arena.run.test_run_process import assert_complete, engines_alive, results, running, stored, write
from tests.forked_referee import NAME
from tests.missing_tools import needs
from tests.processes import children, engines, wait_for, with_argument, with_name

pytestmark = pytest.mark.system

ROOT = Path(__file__).parents[3]
ENDLESS = 400
"""A number of games that no test reaches before its fault."""


def wait_for_games(file, count):
    wait_for(lambda: stored(file) >= count, f"{count} games were not stored")


def shorten(file):
    """Make the tournament only one game longer than the stored games."""
    file.write_text(file.read_text().replace(f"= {ENDLESS}\n", f"= {max(2, stored(file) + 1)}\n"))


def finish(file):
    """Play the rest in another run, and check that the tournament is complete."""
    shorten(file)
    rest = arena("run", "t.toml", cwd=file.parent)
    assert rest.returncode == 0, rest.stderr
    assert_complete(file)
    wait_for(lambda: not engines_alive(file.parent), "engines are left")


def stop(process):
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    return err


def referees(process):
    """The referees of a running arena, without the orphans that it adopts on Linux."""
    pids = set(children(process.pid))
    return pids & set(with_name(NAME)) if sys.platform == "linux" else pids


def test_of_two_arenas_with_the_same_tournament_the_slower_one_ends_with_a_message(tmp_path):
    file = write(tmp_path, ("a", "thinks-a-little"), ("b", "honest"), games_per_pairing=2, concurrency=1)
    with running(file) as first, running(file) as second:
        wait_for(lambda: first.poll() is not None or second.poll() is not None, "both play")
        both = [(process, process.communicate(timeout=60)[1]) for process in (first, second)]
    (slower,) = [err for process, err in both if process.returncode == 2]
    assert re.search(r"the tournament 't' is being run by .*; let only one program run it", slower)
    assert sorted(process.returncode for process, _ in both) == [0, 2]
    assert_complete(file)


def test_a_daemon_of_an_engine_does_not_outlive_a_killed_referee(tmp_path):
    mark = f"daemon-of-{tmp_path.name}"
    file = write(
        tmp_path, ("a", "honest"), ("b", "leaves-a-daemon"), games_per_pairing=ENDLESS, concurrency=1
    )
    file.write_text(file.read_text().replace('"leaves-a-daemon"]', f'"leaves-a-daemon", "{mark}"]'))

    def daemons():
        return with_argument(f"# {mark}")

    with running(file) as process:
        wait_for(daemons, "there is no daemon")
        (referee,) = children(process.pid)
        os.kill(referee, signal.SIGSTOP)  # so that it cannot find the daemon itself
        before = len(daemons())
        os.kill(referee, signal.SIGKILL)
        assert before >= 1
        wait_for(lambda: stored(file) >= 1, "no game was stored")
        stop(process)
    wait_for(lambda: not daemons(), "a daemon is left")


def thoughtful(folder, **keys):
    """Write an endless tournament in which an engine thinks nearly always, and has no second to spare."""
    thinking = (("a", "thinks-a-little"), ("b", "thinks-a-little"))
    file = write(folder, *thinking, games_per_pairing=ENDLESS, concurrency=1, **keys)
    file.write_text(file.read_text().replace('"60+0"', '"0.9+0.5"').replace("plies = 12", "plies = 4"))
    return file


@pytest.mark.parametrize("seconds", [1.8, pytest.param(4, marks=pytest.mark.slow)])
def test_a_referee_that_was_stopped_plays_its_game_again_and_nobody_loses_on_time(tmp_path, seconds):
    file = thoughtful(tmp_path)
    with running(file) as process:
        wait_for_games(file, 1)
        (referee,) = children(process.pid)
        ends = []
        while "void" not in ends:  # a stop in the short time between two searches does no harm
            os.kill(referee, signal.SIGSTOP)
            time.sleep(seconds)
            os.kill(referee, signal.SIGCONT)
            wait_for_games(file, stored(file) + 2)
            ends = [result.termination for result in results(tmp_path)]
        err = stop(process)
    message = re.search(r"played again: .*: the referee was stopped for (\d+\.\d) s", err)
    assert seconds - 0.5 < float(message[1]) < seconds + 1  # from the last heartbeat until it runs again
    assert Counter(result.termination for result in results(tmp_path))["void"] == 1
    assert set(ends) == {"void", "adjudicated"}
    finish(file)


def test_referees_play_on_while_arena_is_stopped_and_wait_with_their_results(tmp_path):
    file = thoughtful(tmp_path, log='"logs"')

    def over():
        return all("# the game is over" in log.read_text() for log in (tmp_path / "logs").iterdir())

    with running(file) as process:
        wait_for_games(file, 1)
        process.send_signal(signal.SIGSTOP)
        while over():  # arena was stopped between two games: try again
            process.send_signal(signal.SIGCONT)
            time.sleep(0.05)
            process.send_signal(signal.SIGSTOP)
        before = stored(file)
        wait_for(over, "the game does not come to its end")
        time.sleep(1.1)
        assert stored(file) == before
        process.send_signal(signal.SIGCONT)
        wait_for_games(file, before + 2)
        err = stop(process)
    assert process.returncode == INTERRUPTED, err
    assert "played again" not in err
    assert {result.termination for result in results(tmp_path)} == {"adjudicated"}
    finish(file)


@pytest.mark.parametrize(("number", "word"), [(signal.SIGKILL, "crash"), (signal.SIGSTOP, "time or stall")])
def test_an_engine_that_is_killed_or_stopped_loses_one_game(tmp_path, number, word):
    file = write(tmp_path, ("a", "honest"), ("b", "honest"), games_per_pairing=ENDLESS, concurrency=1)
    file.write_text(file.read_text().replace('"60+0"', '"0.5+0.3"').replace("ready = 60", "ready = 2"))
    with running(file) as process:
        wait_for_games(file, 1)
        (referee,) = children(process.pid)
        while not any(result.termination in word for result in results(tmp_path)):
            # An engine that is hit between two games is replaced, and loses no game.
            os.kill(engines(referee)[0], number)
            before = stored(file)
            wait_for(lambda before=before: stored(file) > before + 1, "it does not go on")
        wait_for_games(file, stored(file) + 2)
        err = stop(process)
    counted = Counter(result.termination for result in results(tmp_path))
    assert sum(counted[termination] for termination in counted if termination in word) == 1
    assert len(counted) == 2
    assert "disabled" not in err


def test_a_database_that_another_program_locks_is_waited_for(tmp_path):
    file = write(tmp_path, ("a", "honest"), ("b", "honest"), games_per_pairing=ENDLESS, concurrency=1)
    with (
        running(file) as process,
        closing(sqlite3.connect(tmp_path / "arena.db", isolation_level=None)) as other,
    ):
        wait_for_games(file, 1)
        other.execute("BEGIN IMMEDIATE")
        time.sleep(0.3)
        other.execute("ROLLBACK")
        wait_for_games(file, stored(file) + 1)
        stop(process)
    finish(file)


# --- the heartbeat


@needs("linux")
def test_a_process_that_waits_for_a_processor_is_not_taken_for_a_stopped_process():
    code = (
        "import os, sys, time; from referee.match.heartbeat import busy_ns\n"
        "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "start, busy = time.monotonic_ns(), busy_ns(); print('ready', flush=True)\n"
        "while time.monotonic_ns() - start < float(sys.argv[1]) * 1e9: pass\n"
        "print((time.monotonic_ns() - start - busy_ns() + busy) / 1e9)"
    )

    def start(seconds):
        command = [sys.executable, "-c", code, seconds]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)

    hogs = [start("0.4") for _ in range(2)]
    assert max(float(hog.communicate()[0].split()[1]) for hog in hogs) < 0.2
    with start("1") as stopped:
        stopped.stdout.readline()
        stopped.send_signal(signal.SIGSTOP)
        time.sleep(0.7)
        stopped.send_signal(signal.SIGCONT)
        assert float(stopped.stdout.read()) > 0.5


async def test_the_error_of_a_referee_that_cannot_run_is_shown(tmp_path, monkeypatch):
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho 'Traceback:' >&2\necho 'no such module' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(broken))
    with pytest.RaisesGroup(
        pytest.RaisesExc(ArenaError, match="ends with:\nTraceback:\nno such module$"), flatten_subgroups=True
    ):
        async with open_referees((ANY,)) as referees:
            async for _ in referees.events:
                pass
