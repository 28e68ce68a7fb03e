"""A tournament by files: orders of its missing games go out, and their results come back."""

from __future__ import annotations

import json
import re
import sys
from contextlib import closing
from pathlib import Path

import pytest

from arena.store import Store
from tests.arena.invoking import invoke as call

pytestmark = pytest.mark.system

HOSTILE = Path(__file__).parents[2] / "engines" / "hostile_engine.py"

TOURNAMENT = """
game = "quoridor"
time_control = "60+0"
games_per_pairing = 4
adjudication = {{ plies = 4 }}
engines = [
    {{ name = "a", command = ["{python}", "-S", "{engine}", "honest"] }},
    {{ name = "b", command = ["{python}", "-S", "{engine}", "honest"] }},
]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_warning: None) -> Path:
    (tmp_path / "t.toml").write_text(TOURNAMENT.format(python=sys.executable, engine=HOSTILE))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def no_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("protocol.process.sandbox.runs_as_root", lambda spec: False)


def stored(folder: Path) -> list[tuple[str, str]]:
    with closing(Store.open(folder / "arena.db", create=False)) as store:
        return [(game.result.key, game.worker) for game in store.finder.records()]


def test_what_other_machines_have_played_is_stored_and_the_rest_stays_open(folder: Path) -> None:
    written = call("run", "t.toml", "--write-orders", "orders.jsonl")
    assert written.exit_code == 0
    sentence = r"4 orders in orders\.jsonl; play them with: (\S*/)?arena worker orders\.jsonl\n"
    assert re.fullmatch(sentence, written.stderr)
    lines = (folder / "orders.jsonl").read_text().splitlines(keepends=True)
    (folder / "half.jsonl").write_text("".join(lines[:2]))
    (folder / "lab1.jsonl").write_text(call("worker", "half.jsonl").stdout)
    done = call("run", "t.toml", "--results", "lab1.jsonl", "--quiet")
    assert done.exit_code == 0, done.output
    assert stored(folder) == [("quoridor:a|b:0", "lab1"), ("quoridor:b|a:0", "lab1")]
    again = call("run", "t.toml", "--results", "lab1.jsonl", "--quiet")
    assert "0 games played" in again.stderr
    assert len(stored(folder)) == 2
    call("run", "t.toml", "--write-orders", "rest.jsonl")
    assert (folder / "rest.jsonl").read_text().splitlines(keepends=True) == lines[2:]


def test_no_result_of_another_tournament_or_of_a_changed_one_is_taken(folder: Path) -> None:
    call("run", "t.toml", "--write-orders", "orders.jsonl")
    (folder / "lab1.jsonl").write_text(call("worker", "orders.jsonl").stdout)
    text = (folder / "t.toml").read_text()
    (folder / "other.toml").write_text(text)
    (folder / "t.toml").write_text(text.replace("honest", "resigns"))
    for name in ("other.toml", "t.toml"):
        assert "0 games played" in call("run", name, "--results", "lab1.jsonl", "--quiet").stderr


def test_the_first_result_counts_and_what_is_void_or_lost_is_left_open(folder: Path) -> None:
    call("run", "t.toml", "--write-orders", "orders.jsonl")
    first, second, *_ = call("worker", "orders.jsonl").stdout.splitlines()
    ids = [json.loads(line)["id"] for line in (folder / "orders.jsonl").read_text().splitlines()]
    void = json.loads(second) | {"termination": "void", "void": "machine"}
    later = json.loads(first) | {"reason": "count"}
    lost = {"event": "lost", "id": ids[2], "text": "it died", "playing": True}
    results = [json.loads(first), later, void, lost]
    (folder / "lab1.jsonl").write_text("\n".join(map(json.dumps, results)))
    assert "1 game played" in call("run", "t.toml", "--results", "lab1.jsonl", "--quiet").stderr
    with closing(Store.open(folder / "arena.db", create=False)) as store:
        assert store.game(1).result.reason == "length"


def test_other_files_are_refused(folder: Path) -> None:
    (folder / "x.jsonl").write_text('{"event": "finished"}\n')
    done = call("run", "t.toml", "--results", "x.jsonl")
    assert done.exit_code == 2
    assert done.stderr.startswith("error: x.jsonl, line 1: this is not a line of `arena worker`: ")
    done = call("run", "t.toml", "--write-orders", "x.jsonl")
    assert (done.exit_code, done.stderr) == (2, "error: x.jsonl: File exists\n")
    assert (folder / "x.jsonl").read_text() == '{"event": "finished"}\n'
