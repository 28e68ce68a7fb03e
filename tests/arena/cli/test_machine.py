"""What commands say about the machine: what contains engines, and what root should know."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from protocol.process import machine, sandbox
from protocol.process.lifetime import VARIABLE
from tests.arena.invoking import invoke
from tests.missing_tools import needs

HOSTILE = Path(__file__).parents[2] / "engines" / "hostile_engine.py"
ENGINE = [sys.executable, "-S", str(HOSTILE), "honest"]
WARNING = "warning: arena runs as root and starts engines without bubblewrap: "


def tournament(folder, more=""):
    engines = "".join(f'[[engines]]\nname = "{name}"\ncommand = {ENGINE}\n' for name in "abc")
    file = folder / "t.toml"
    file.write_text(f'game = "quoridor"\n[adjudication]\nplies = 4\n{more}\n{engines}')
    return file


def rows(*words):
    done = invoke("check", "--system", *words)
    assert done.exit_code == 0, done.output
    assert done.stderr == ""
    return done.stdout


def test_check_system_lists_what_the_machine_offers_and_needs_no_engine():
    lines = rows().splitlines()
    assert lines[0].split() == ["on", "this", "machine", "remark"]
    (python,) = [line for line in lines if line.startswith("Python ")]
    assert f"yes  {sys.version.split()[0]}, {sys.executable}" in python
    names = [facility["name"] for facility in json.loads(rows("--json"))]
    assert all(line.startswith(name) for line, name in zip(lines[1:], names, strict=True))
    for name in ("process namespaces", 'sandbox = "bwrap"', "limits", "out of memory", "pinning"):
        assert name in names


@pytest.mark.parametrize("works", [pytest.param(True, marks=needs("namespaces")), False])
def test_check_system_says_how_engines_are_contained(monkeypatch, works):
    monkeypatch.setenv(VARIABLE, "" if works else "none")
    (fact,) = [fact for fact in json.loads(rows("--json")) if fact["name"] == "process namespaces"]
    assert fact["works"] == works


def test_a_machine_without_tools_is_described_and_not_an_error(monkeypatch):
    monkeypatch.setattr(machine, "which", lambda program: None)
    facts = {fact["name"]: fact for fact in json.loads(rows("--json"))}
    assert facts["limits"]["text"] == "the program prlimit is not installed; no limits can be set"
    assert facts['sandbox = "bwrap"']["text"] == "the program bwrap is not installed"
    assert not facts["limits"]["works"]


@pytest.mark.parametrize("user", [0, 1000])
def test_all_commands_that_start_engines_warn_root_once(tmp_path, monkeypatch, user):
    monkeypatch.setattr(sandbox.os, "geteuid", lambda: user)
    monkeypatch.setenv(VARIABLE, "none")
    monkeypatch.setattr("arena.run.tournament.Run.play", no_games)
    monkeypatch.chdir(tmp_path)
    seats = ["--seat", shlex.join(ENGINE)] * 2
    file = tournament(tmp_path)
    assert invoke("run", file, "--write-orders", "orders.jsonl").exit_code == 0
    for words in (
        ("run", file),
        ("match", "quoridor", shlex.join(ENGINE), shlex.join(ENGINE)),
        ("worker", "orders.jsonl"),
        ("play", "quoridor", *seats, "--quiet", "--time-control", "60+0"),
        ("check", "--only", "101", "--", *ENGINE),
        ("openings", "quoridor", "--filter", shlex.join(ENGINE)),
    ):
        done = invoke(*words)
        assert done.stderr.count(WARNING) == (user == 0), done.output


async def no_games(run):
    from arena.events import RunSummary
    from arena.store import Store

    spec = run.spec
    store = Store.open(spec.database, create=True)
    store.begin_tournament(spec.name, spec.settings(), spec.plan.encode())
    store.close()
    return RunSummary(0, (), 0, False)
