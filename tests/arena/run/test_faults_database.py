"""A database that is lost during a run: what is reported is stored, and the rest is played again."""

import signal
import sqlite3
from contextlib import closing

import pytest

from tests.arena.run.test_faults import ENDLESS, wait_for_games
from tests.arena.run.test_faults_machine import change, fill, small_disk
from tests.arena.run.test_run_process import engines_alive, running, write
from tests.missing_tools import needs
from tests.processes import wait_for

pytestmark = pytest.mark.system

FIRST = 4
"""The number of stored games before the fault."""


def reported(err):
    """The number of games that were reported as played."""
    return sum(line.startswith("[") for line in err.splitlines())


def keys(path):
    """The keys of the games in a database, without a change of its files."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as database:
        return [key for (key,) in database.execute("SELECT key FROM game ORDER BY id")]


def play_until(tmp_path, fault):
    """Play until `FIRST` games are stored, then call `fault`; return what the run printed."""
    file = write(tmp_path, ("a", "honest"), ("b", "honest"), games_per_pairing=ENDLESS, concurrency=2)
    with running(file) as process:
        wait_for_games(file, FIRST)
        fault()
        out, err = process.communicate(timeout=60)
    assert process.returncode == 2, err
    assert out == ""
    assert "Traceback" not in err
    assert err.count("error: ") == 1
    assert not engines_alive(tmp_path)
    return err


def test_after_the_second_ctrl_c_a_locked_database_is_waited_for_only_once(tmp_path):
    file = write(tmp_path, ("a", "honest"), ("b", "honest"), games_per_pairing=ENDLESS, concurrency=2)
    with running(file, settings={"arena.store.sqlite.BUSY_TIMEOUT": 0.5}) as process:
        wait_for_games(file, FIRST)
        with closing(sqlite3.connect(tmp_path / "arena.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            before = len(keys(tmp_path / "arena.db"))
            process.send_signal(signal.SIGINT)
            wait_for(lambda: "\nstopping" in process.stderr, "Ctrl-C is not obeyed")
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert not engines_alive(tmp_path)
    assert len(keys(tmp_path / "arena.db")) >= max(before, reported(err))


def test_a_database_that_is_deleted_during_a_run_ends_it_at_the_next_game(tmp_path):
    path = tmp_path / "arena.db"
    play_until(tmp_path, path.unlink)
    assert not path.exists()


@needs("mount")
def test_on_a_disk_that_fills_up_every_reported_game_is_stored(tmp_path):
    with small_disk(tmp_path / "disk") as disk:
        file = write(tmp_path, ("a", "honest"), ("b", "honest"), games_per_pairing=ENDLESS, concurrency=2)
        change(file, {'game = "quoridor"': f'game = "quoridor"\ndatabase = "{disk}/arena.db"'})
        with running(file) as process:
            wait_for_games_in(disk / "arena.db")
            fill(disk)
            _, err = process.communicate(timeout=60)
        assert process.returncode == 2, err
        assert f"error: {disk}/arena.db: the disk " in err.splitlines()[-1]
        assert len(keys(disk / "arena.db")) == reported(err)


def wait_for_games_in(path):
    wait_for(lambda: path.exists() and _count(path) >= FIRST, "no games were stored")


def _count(path):
    try:
        return len(keys(path))
    except sqlite3.OperationalError:  # it is being created
        return 0
