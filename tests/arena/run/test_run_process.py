"""`arena run` with real referees, engines and databases, also when something goes wrong."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from arena.config import load
from arena.formats.contest import ScheduleState
from arena.store import Store
from tests.arena.forked import arena, forked
from tests.processes import wait_for, with_argument

HOSTILE = Path(__file__).parents[2] / "engines" / "hostile_engine.py"
ARENA = [sys.executable, "-m", "arena"]


def write(folder, *modes, more="", **keys):
    """Write a tournament file; by default for one referee, because each referee takes time to start."""
    usual = {"game": '"quoridor"', "time_control": '"60+0"', "concurrency": 1}
    lines = [f"{key} = {value}" for key, value in (usual | keys).items() if value is not None]
    lines.append("[adjudication]\nplies = 12")
    lines.append("[defaults.timeouts]\nhandshake = 60\nready = 60")
    for name, mode in (mode if isinstance(mode, tuple) else (mode, mode) for mode in modes):
        lines.append(
            f'[[engines]]\nname = "{name}"\ncommand = ["{sys.executable}", "-S", "{HOSTILE}", "{mode}"]'
        )
    file = folder / "t.toml"
    file.write_text("\n".join([*lines, more]))
    return file


def results(folder, name="t"):
    store = Store.open(folder / "arena.db", create=False)
    try:
        return store.results(tournament=name)
    finally:
        store.close()


def assert_complete(file):
    """Every pairing of the schedule has exactly one game that counts."""
    keys = Counter(result.key for result in results(file.parent) if result.counts)
    assert keys == Counter(pairing.key for pairing in load(file).schedule().pending(ScheduleState()))


def engines_alive(folder):
    """Return the processes of `hostile_engine.py` that run in this folder."""
    return with_argument(str(HOSTILE), folder)


def running(file, **options):
    """Start a process that plays a tournament. The options are those of `forked`."""
    return forked("run", file.name, cwd=file.parent, **options)


@contextmanager
def started(file):
    """Do the same with `python -m arena`, for tests of the start of the process."""
    process = subprocess.Popen(
        [*ARENA, "run", file.name], cwd=file.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def stored(file):
    """Return the number of stored games; quick, because tests call it many times a second."""
    try:
        with closing(sqlite3.connect(f"{(file.parent / 'arena.db').as_uri()}?mode=rw", uri=True)) as database:
            return database.execute("SELECT count(*) FROM game").fetchone()[0]
    except sqlite3.OperationalError:  # the database is being created
        return 0


def test_a_tournament_is_played_shown_and_not_played_twice(tmp_path):
    engines = (("alpha", "honest"), ("gamma", "answers-twice"))
    file = write(tmp_path, *engines, concurrency=None)
    with started(file) as process:
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "2 games played" in err
    assert all(name in out for name, _ in engines)
    assert "hostile" not in out  # the name that all of them report
    assert_complete(file)
    again = arena("run", "t.toml", cwd=tmp_path)
    assert again.returncode == 0
    assert "0 games played" in again.stderr
    assert again.stdout == out
    assert "concurrency" not in err


def test_kill_9_leaves_no_engine_and_loses_no_game(tmp_path):
    file = write(
        tmp_path,
        ("a", "honest"),
        ("b", "ignores-quit"),
        ("c", "leaves-a-grandchild"),
        games_per_pairing=150,
        concurrency=2,
    )
    with running(file) as process:
        wait_for(lambda: stored(file) >= 3, "no games were stored")
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        wait_for(lambda: not engines_alive(tmp_path), "engines outlive a killed arena")
    before = stored(file)
    assert before < 450
    rest = arena("run", "t.toml", cwd=tmp_path)
    assert rest.returncode == 0, rest.stderr
    assert f"{450 - before} games played" in rest.stderr
    assert_complete(file)


def test_ctrl_c_lets_running_games_end_and_the_same_command_goes_on(tmp_path):
    file = write(tmp_path, ("a", "honest"), ("b", "honest"), games_per_pairing=400)
    with running(file) as process:
        wait_for(lambda: stored(file) >= 1, "no games were stored")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "stopped; continue with: " in err
    assert "points" in out
    assert f"tournament t, quoridor: {stored(file)} of 400 games\n" in out
    assert arena("list", cwd=tmp_path).stdout.splitlines()[1].split()[-2:] == [
        str(stored(file)),
        "400",
    ]
    assert not engines_alive(tmp_path)
    file.write_text(file.read_text().replace("400", str(stored(file) + 3)))
    assert arena("run", "t.toml", cwd=tmp_path).returncode == 0
    assert_complete(file)


def test_ctrl_c_twice_stops_immediately(tmp_path):
    file = write(tmp_path, ("a", "honest"), ("b", "hangs-in-search"))
    with running(file) as process:
        wait_for(lambda: len(engines_alive(tmp_path)) >= 2, "no engine was started")
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "stopped immediately: stored games are safe; continue with: " in err
    assert not engines_alive(tmp_path)


def test_an_engine_that_never_works_is_disabled_and_the_exit_code_shows_it(tmp_path):
    file = write(tmp_path, ("good", "honest"), ("bad", "exits-at-start"), games_per_pairing=6)
    run = arena("run", "t.toml", cwd=tmp_path)
    assert run.returncode == 1
    assert "bad was disabled" in run.stderr
    assert "no such opening book" in run.stderr
    assert Counter(result.termination for result in results(tmp_path)) == {"crash": 3, "disabled": 3}
    assert_complete(file)


def test_a_folder_for_transcripts_on_the_command_line_comes_before_the_files(tmp_path):
    write(tmp_path, ("a", "honest"), ("b", "honest"), log='"unused"')
    assert arena("run", "t.toml", "--log", "elsewhere", cwd=tmp_path).returncode == 0
    names = sorted(file.name for file in (tmp_path / "elsewhere").iterdir())
    assert names == ["1-1-a.log", "1-2-b.log", "2-1-b.log", "2-2-a.log"]
    assert not (tmp_path / "unused").exists()


def test_only_lost_games_leave_transcripts_the_last_ones_of_each_engine(tmp_path):
    engines = ("good", "honest"), ("bad", "plays-illegal")
    write(tmp_path, *engines, log='"logs"', log_lost=2, games_per_pairing=6)
    assert arena("run", "t.toml", cwd=tmp_path).returncode == 0
    transcripts = {str(file.relative_to(tmp_path / "logs")) for file in (tmp_path / "logs").rglob("*.log")}
    assert transcripts == {"bad/5-2-bad.log", "bad/6-1-bad.log"}
    assert "illegal" in (tmp_path / "logs" / "bad" / "6-1-bad.log").read_text()


def test_four_players_with_affinity_and_a_log(tmp_path):
    file = write(
        tmp_path,
        *((name, "honest") for name in "abcd"),
        game='"quoridor4"',
        affinity="true",
        log='"logs"',
        concurrency=None,
    )
    run = arena("run", "t.toml", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert_complete(file)
    assert all(len(result.players) == 4 for result in results(tmp_path))
    assert len(list((tmp_path / "logs").iterdir())) == 4 * len(results(tmp_path))


@pytest.mark.slow  # it imports everything in a new process
def test_the_referees_start_before_the_database_is_imported():
    code = "import arena.cli.run, arena.run.tournament, sys; print(*sys.modules)"
    modules = subprocess.run(
        [*ARENA[:1], "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"arena.store", "sqlalchemy", "sqlmodel"} & set(modules)
