"""Command lines: each ends with a documented exit code, and a mistake gives a message and no traceback."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
import trio
from click.testing import CliRunner

from arena.cli import main
from tests.fuzz import command_lines
from tests.fuzz.explore import PROCESSOR_SECONDS, Findings, random_of, shares

CODES = {0, 1, 2}
"""The exit codes of commands that nobody stops."""

TOURNAMENT = """\
name = "spring"
game = "quoridor"
[[engines]]
name = "a"
command = "./missing"
[[engines]]
name = "b"
command = "./missing"
"""


@pytest.fixture
def folder(sample_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: with a database, tournament files, records and other things to name."""
    inner = tmp_path / "deep" / "inner"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    monkeypatch.delenv("ARENA_DB", raising=False)
    monkeypatch.setattr("arena.web.server.app.serve", serve_nobody)
    monkeypatch.setattr("click.launch", lambda address: 0)
    fill(inner, sample_database)
    return inner


async def serve_nobody(*_: object, task_status: trio.TaskStatus[list[str]], **__: object) -> None:
    """End immediately, as `hypercorn.trio.serve` does when the user wants it."""
    task_status.started([])


def fill(folder: Path, database: Path) -> None:
    for thing in folder.iterdir():
        if thing.is_dir() and not thing.is_symlink():
            shutil.rmtree(thing)
        else:
            thing.unlink()
    shutil.copy(database, folder / "arena.db")
    (folder / "damaged.db").write_bytes(database.read_bytes()[:5000] + b"\xff" * 5000)
    (folder / "t.toml").write_text(TOURNAMENT)
    (folder / "bad.toml").write_text(TOURNAMENT + "nonsense = 1\n")
    (folder / "empty").touch()
    (folder / "folder").mkdir()
    (folder / "folder" / "file").touch()
    CliRunner().invoke(main, ["export", "--output", "games.pgn"])
    CliRunner().invoke(main, ["export", "--jsonl", "--output", "games.jsonl"])


@pytest.mark.parametrize("numbers", shares(60, 5000))
def test_every_command_line_ends_without_a_traceback(
    numbers: range, folder: Path, sample_database: Path
) -> None:
    findings = Findings()
    for number in numbers:
        rng = random_of("command line", number)
        words = command_lines.example(rng)
        environment = (
            {"ARENA_DB": rng.choice(("", "x" * 300, "\udcff", "missing.db"))} if rng.random() < 0.02 else {}
        )
        with findings.trying(number, words):
            _run(words, environment, rng)
        if number % 25 == 24:
            fill(folder, sample_database)
    findings.check()


def _run(words: list[str], environment: dict[str, str], rng: Random) -> None:
    stdin = rng.choice((b"", b"e2\n", b"resign\n", b"\xff\n?\n", b'{"leapfrog-arena records":1}\n'))
    done = CliRunner().invoke(main, words, input=io.BytesIO(stdin), env=environment)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code in CODES, done.exit_code
    assert "Traceback" not in done.output
    if done.exit_code == 2:
        message = done.stderr.strip()
        assert message, "exit code 2 without a message"
        assert len(message) < 3000 or "Usage" in message, message[:300]
    if "warning" not in done.stderr and words[:1] not in (["check"], ["import"], ["play"]):
        assert done.exit_code != 2 or "error: " in done.stderr or "Usage" in done.stderr, done.stderr


STREAMS = ("", "", "", "<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&-", ">/dev/full", "2>/dev/full")


@pytest.mark.parametrize("numbers", shares(1, 100, size=50))
def test_real_processes_end_without_a_traceback(numbers: range, folder: Path, sample_database: Path) -> None:
    findings = Findings()
    for number in numbers:
        rng = random_of("process", number)
        words = [word for word in command_lines.example(rng) if "\0" not in word]
        streams = rng.choice(STREAMS)
        with findings.trying(number, (words, streams)):
            shell = f'ulimit -t {PROCESSOR_SECONDS}; "$0" -m arena "$@" {streams}'
            done = subprocess.run(
                ["/bin/sh", "-c", shell, sys.executable, *words],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
            )
            assert b"Traceback" not in done.stderr + done.stdout, done.stderr
            assert b"Exception ignored" not in done.stderr, done.stderr
            assert done.returncode in CODES, (done.returncode, done.stderr)
    findings.check()
