"""Engines that stop or kill their referees, and referees that give no sign of life."""

import os
import re
import signal
from collections import Counter

import pytest

from arena.config import load
from arena.formats.contest import ScheduleState
from protocol.process.lifetime import VARIABLE
from tests.arena.forked import arena
from tests.arena.run.test_run_process import (
    assert_complete,
    engines_alive,
    results,
    running,
    stored,
    write,
)
from tests.missing_tools import needs
from tests.processes import children, wait_for

pytestmark = pytest.mark.system

QUICK = {"arena.run.local_referees.SILENT_SECONDS": 2}

SILENT = "gave no sign of life for 2 s, so arena killed it"


@pytest.fixture(autouse=True)
def without_namespaces(monkeypatch):
    """In a process namespace no engine reaches its referee by a signal."""
    monkeypatch.setenv(VARIABLE, "none")


def hostile(file, *words):
    """Add words to the command of the hostile engine."""
    file.write_text(re.sub(r'("(?:stops|kills)-[a-z-]*")]', rf"\1, {', '.join(words)}]", file.read_text()))


@needs("linux")
@pytest.mark.parametrize(
    ("mode", "words", "message"),
    [
        ("stops-its-referee", [], SILENT),
        pytest.param("stops-its-referee", ['"2.5"'], "the referee was stopped for ", marks=pytest.mark.slow),
        ("kills-its-referee", [], "the referee process died"),
    ],
)
def test_games_of_an_engine_that_stops_or_kills_its_referee_are_void_and_the_others_are_played(
    tmp_path, mode, words, message
):
    file = write(tmp_path, ("a", "honest"), ("b", "honest"), ("bad", mode), games_per_pairing=2)
    hostile(file, *words)
    settings = {} if words else QUICK
    run = arena("run", "t.toml", cwd=tmp_path, settings=settings)
    assert run.returncode == 1, run.stderr
    lines = run.stderr.splitlines()
    for start in ("played again: ", "void, because it failed again: "):
        void = [line for line in lines if line.startswith(start)]
        assert len(void) == 4
        assert all("bad" in line and message in line for line in void)
    assert lines[-2].startswith("without a result: 4 games; ")
    assert '`sandbox = "bwrap"`' in lines[-2]
    assert lines[-2].endswith("arena run t.toml")
    assert lines[-1].startswith("2 games played")
    counted = Counter(result.termination for result in results(tmp_path))
    assert counted == {"adjudicated": 2} | ({"void": 8} if words else {})
    wait_for(lambda: not engines_alive(tmp_path), "engines outlive their referee")


@needs("linux")
def test_two_hostile_engines_among_four_running_games_end_nothing(tmp_path):
    engines = (("a", "honest"), ("b", "honest"), ("c", "stops-its-referee"), ("d", "kills-its-referee"))
    write(tmp_path, *engines, games_per_pairing=2, concurrency=4)
    run = arena("run", "t.toml", cwd=tmp_path, settings=QUICK)
    assert run.returncode == 1, run.stderr
    stored = [result for result in results(tmp_path) if result.counts]
    assert [result.termination for result in stored] == ["adjudicated"] * 2
    assert all({player.name for player in result.players} == {"a", "b"} for result in stored)
    assert "without a result: 10 games; " in run.stderr
    assert "disabled" not in run.stderr
    wait_for(lambda: not engines_alive(tmp_path), "engines outlive their referee")


@needs("linux")
def test_a_run_that_is_killed_among_lost_games_goes_on_with_exactly_the_missing_ones(tmp_path):
    file = write(
        tmp_path, ("a", "honest"), ("bad", "kills-its-referee"), ("b", "honest"), games_per_pairing=4
    )
    with running(file) as process:
        wait_for(lambda: "played again" in process.stderr and stored(file), "no game is lost")
        process.kill()
        process.wait()
    assert arena("run", "t.toml", cwd=tmp_path).returncode == 1
    stored_keys = [result.key for result in results(tmp_path)]
    honest = [p.key for p in load(file).schedule().pending(ScheduleState()) if "bad" not in p.seats]
    assert sorted(stored_keys) == sorted(honest)


@needs("linux")
def test_a_referee_that_is_stopped_when_the_run_ends_does_not_hang_it_and_leaves_no_folder(
    tmp_path, monkeypatch
):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    engines = (("a", "honest"), ("bad", "stops-its-referee-at-the-end"))
    file = write(tmp_path, *engines, games_per_pairing=1, more='[defaults]\nsandbox = "folder"')
    run = arena("run", "t.toml", cwd=tmp_path, settings=QUICK, timeout=60)
    assert run.returncode == 0, run.stderr
    assert_complete(file)
    assert list(temporary.iterdir()) == []
    wait_for(lambda: not engines_alive(tmp_path), "engines outlive their referee")


@needs("linux")
def test_a_stopped_referee_does_not_delay_the_second_ctrl_c(tmp_path):
    file = write(tmp_path, ("a", "honest"), ("b", "hangs-in-search"), games_per_pairing=1)
    with running(file) as process:
        wait_for(lambda: len(engines_alive(tmp_path)) == 2, "no game starts")
        (referee,) = children(process.pid)
        os.kill(referee, signal.SIGSTOP)
        process.send_signal(signal.SIGINT)
        wait_for(lambda: "stopping" in process.stderr, "Ctrl-C is not obeyed")
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    wait_for(lambda: not engines_alive(tmp_path), "engines outlive their referee")
