"""`arena tune`: an engine is tuned by real games, after kill -9 too, and the values are tested by a match."""

from __future__ import annotations

import json
import os
import re
import signal
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from arena.config import load
from arena.model import GameResult
from arena.store import Store
from tests.arena.forked import arena, forked
from tests.arena.formats.playing import wrong_options
from tests.arena.run.test_run_process import stored
from tests.arena.workers.clusters import cluster
from tests.processes import wait_for

ENGINE = """\
from protocol.engine import Engine, Spin, run

class Tuned(Engine):
    name = "tuned"
    capabilities = ("legal",)
    options = (Spin("A", 10, 0, 100),)

    def choose(self, turn):
        return "resign" if 3 * len(turn.moves) >= self.settings["A"] else turn.legal[0]

run(Tuned())
"""
FILE = """\
game = "quoridor"
format = "tune"
time_control = "60+0"
concurrency = 2
[adjudication]
plies = 8
[tune]
steps = 12
parallel = 3
[tune.parameters]
A = { start = 10, min = 0, max = 100, r_end = 0.5 }
[[engines]]
name = "e"
command = "{python} e.py"
margin = 30000
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "e.py").write_text(ENGINE)
    (tmp_path / "t.toml").write_text(FILE)
    return tmp_path


def games(folder: Path) -> list[GameResult]:
    with closing(Store.open(folder / "arena.db", create=False)) as store:
        return [result for result in store.results(tournament="t") if result.counts]


def assert_each_step_is_played_once(folder: Path) -> None:
    results = games(folder)
    assert set(Counter(result.key for result in results).values()) == {1}
    assert len(results) == 24
    assert wrong_options(load(folder / "t.toml"), results) == []


def test_a_killed_tuning_goes_on_without_a_step_lost_or_played_twice(folder: Path) -> None:
    with forked("tune", "t.toml", cwd=folder) as process:
        wait_for(lambda: stored(folder / "t.toml") >= 7, "no games were stored")
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    before = stored(folder / "t.toml")
    assert before < 24
    done = arena("tune", "t.toml", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert f"{24 - before} games played" in done.stderr
    assert_each_step_is_played_once(folder)
    (game,) = json.loads(done.stdout)["games"]
    assert (game["tune"]["steps"], game["tune"]["of"]) == (12, 12)


def test_the_end_has_the_options_and_the_match_that_tests_them(folder: Path) -> None:
    early = arena("tune", "t.toml", "--sprt", "0,10", cwd=folder)
    assert early.returncode == 2
    done = arena("tune", "t.toml", cwd=folder)
    assert done.returncode == 0, done.stderr
    found = re.search(r'options = { "A" = (\d+) }', done.stdout)
    assert found is not None
    assert found[1] != "10"
    assert "arena tune t.toml --sprt 0,10" in done.stderr
    assert arena("report", "t", "--output", "site", cwd=folder).returncode == 0
    page = (folder / "site/index.html").read_text()
    assert page.count("<title>Path of A</title>") == page.count("12 of 12 steps") == 1
    assert "winner" not in page.partition("</head>")[2]
    match = arena("tune", "t.toml", "--sprt", "-600,600", cwd=folder)
    assert match.returncode == 0, match.stderr
    assert "e-tuned against e-start" in match.stdout
    assert f"e-start: A = 10; e-tuned: A = {found[1]}" in match.stdout
    assert "accepted" in match.stdout


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("A =", "Hash =", "line 11: [tune] parameters.Hash: engine e+ does not take its options: it has no"),
        ("max = 100", "max = 101", "line 11: [tune] parameters.A: engine e+ does not take its options"),
        ("max = 100", "max = 100.0", "line 11: [tune] parameters.A: engine e+ does not take its options"),
        ("min = 0", "min = 200", "line 11: [tune] parameters.A.max: this must be greater than min"),
        ("start = 10", "start = -1", "line 11: [tune] parameters.A.start: this must be from min"),
        ('format = "tune"', 'format = "match"', "line 7: tune: this key is only for format"),
    ],
)
def test_a_parameter_that_does_not_fit_is_one_sentence_and_nothing_is_played(
    folder: Path, old: str, new: str, message: str
) -> None:
    (folder / "t.toml").write_text(FILE.replace(old, new))
    done = arena("tune", "t.toml", cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert stored(folder / "t.toml") == 0


def test_a_file_of_another_format_is_not_tuned(folder: Path) -> None:
    text = FILE.replace("tune", "round-robin").partition("[round-robin]")[0]
    engines = "".join(f'[[engines]]\nname = "{name}"\ncommand = "sample:random"\n' for name in "ab")
    (folder / "t.toml").write_text(text + engines)
    done = arena("tune", "t.toml", cwd=folder)
    assert done.returncode == 2
    assert 't.toml: format: only format = "tune" is tuned, not "round-robin"' in done.stderr


@pytest.mark.system
def test_workers_tune_an_engine(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    with cluster(tmp_path_factory.mktemp("cluster"), "w1", "w2") as made:
        done = arena("tune", "t.toml", "--scheduler", made.address, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert_each_step_is_played_once(folder)
