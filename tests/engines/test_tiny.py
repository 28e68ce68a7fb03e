"""Tests of the tiny engines, one for each language: each plays a game, and reads a very long list."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.missing_tools import needs

pytestmark = pytest.mark.system

TINY = Path(__file__).parents[2] / "engines" / "tiny"
README = TINY.joinpath("README.md").read_text(encoding="utf-8")
PATIENCE = 120  # seconds, long enough for a busy machine
MAX_LINE = 65_536  # bytes, with the LF (the engine protocol, Limits)

# file: the command in its folder; the tools that build it or run it
ENGINES = {
    "tiny.awk": ("sh tiny.awk", ("awk",)),
    "tiny.sh": ("bash tiny.sh", ("bash",)),
    "tiny.c": ("build/tiny-c", ("cc",)),
    "tiny.cpp": ("build/tiny-cpp", ("c++",)),
    "tiny.go": ("build/tiny-go", ("go",)),
    "Tiny.java": ("java -cp build Tiny", ("javac", "java")),
    "tiny.js": ("node tiny.js", ("node",)),
    "tiny.pl": ("perl tiny.pl", ("perl",)),
    "tiny.py": ("python3 tiny.py", ("python3",)),
    "tiny.rs": ("build/tiny-rust", ("rustc",)),
    "tiny.sed": ("sed -nuf tiny.sed", ("sed",)),
    "tiny.tcl": ("tclsh tiny.tcl", ("tclsh",)),
}
COSTLY = ("tiny.cpp", "tiny.go", "Tiny.java", "tiny.rs")
"""Engines whose compiler or virtual machine takes a second or more: `make test-slow` tests them."""
EVERY = pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[needs(*tools), *([pytest.mark.slow] if name in COSTLY else [])])
        for name, (_, tools) in ENGINES.items()
    ],
)
Prepare = Callable[[str], list[str]]


@pytest.fixture(scope="module")
def prepare(tmp_path_factory: pytest.TempPathFactory) -> Prepare:
    """Return a function that gives the command of an engine, and builds it in a copy if necessary."""
    folder = shutil.copytree(
        TINY, tmp_path_factory.mktemp("engines") / "tiny", ignore=shutil.ignore_patterns("build")
    )

    def command(name: str) -> list[str]:
        words, tools = ENGINES[name]
        if "build" in words:
            target = "build/Tiny.class" if "javac" in tools else words
            done = subprocess.run(["make", "-s", target], cwd=folder, capture_output=True, text=True)
            assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        return [str(folder / word) if folder.joinpath(word).exists() else word for word in words.split()]

    return command


@contextmanager
def running(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def ask(process: subprocess.Popen[str], text: str, word: str | tuple[str, ...]) -> str:
    """Send a text, and wait for a line that begins with one of the words."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(text)
    process.stdin.flush()
    while not (line := process.stdout.readline()).startswith(word):
        assert line, f"the engine ended before it said {word}"
    return line.rstrip("\n")


@pytest.fixture(scope="module")
def referee() -> Iterator[subprocess.Popen[str]]:
    with running([sys.executable, "-P", "-m", "referee"]) as process:
        yield process


@EVERY
def test_it_plays_a_game_to_its_end(prepare: Prepare, referee: subprocess.Popen[str], name: str) -> None:
    """Use Rôdeurs, because its random games are short and its moves have several squares."""
    seat = {"command": prepare(name), "timeouts": {"handshake": PATIENCE, "ready": PATIENCE}}
    seats = [
        {"engine": {"name": f"{name} {number}", **seat}, "time_control": f"{PATIENCE}+0"} for number in (1, 2)
    ]
    order = {"do": "game", "id": name, "game": "rodeurs", "seats": seats}
    finished = json.loads(
        ask(referee, json.dumps(order) + "\n", ('{"event":"finished"', '{"event":"refused"'))
    )
    assert finished["termination"] == "normal", finished
    assert finished["seats"][0]["reported_name"].startswith("tiny-")


def legal_lines() -> list[str]:
    """Send twenty thousand moves in lines of the longest possible length."""
    lines = ["legal"]
    for number in range(20_000):
        move = f" {number:x}abc"
        if len(lines[-1]) + len(move) >= MAX_LINE:
            lines[-1] = lines[-1].ljust(MAX_LINE - 1, "x")
            lines.append("legal+")
        lines[-1] += move
    return lines


@EVERY
def test_it_understands_a_list_of_moves_that_fills_several_lines_and_ends_when_told(
    prepare: Prepare, name: str
) -> None:
    lines = legal_lines()
    assert [len(line) + 1 for line in lines[:2]] == [MAX_LINE, MAX_LINE]
    moves = {move for line in lines for move in line.split()[1:]}
    with running(prepare(name)) as engine:
        ask(engine, "ugi\n", "ugiok")
        ask(engine, "protocol 1 legal\nisready\n", "readyok")
        ask(engine, "uginewgame\nisready\n", "readyok")
        for _ in range(2):
            ask(engine, "\n".join(["position startpos", *lines, "isready\n"]), "readyok")
            best = ask(engine, "go p1time 9 p2time 9 p1inc 0 p2inc 0\n", "bestmove")
            assert best.removeprefix("bestmove ") in moves
        ask(engine, "position startpos\nlegal only\nisready\n", "readyok")
        assert ask(engine, "go depth 1\n", "bestmove") == "bestmove only"
        assert engine.stdin is not None
        engine.stdin.write("quit\n")
        engine.stdin.flush()
        assert engine.wait(PATIENCE) == 0


# --- the folder


def test_every_file_is_tried_here_and_told_in_the_table() -> None:
    files = {path.name for path in TINY.iterdir() if path.is_file()} - {"Makefile", "README.md"}
    assert files == set(ENGINES)
    assert [
        name for name, (command, _) in ENGINES.items() if f"| `{name}` | `{command}` |" not in README
    ] == []


@EVERY
def test_it_has_at_most_25_lines_and_is_executable_when_it_is_a_script(name: str) -> None:
    lines = TINY.joinpath(name).read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 110
    assert os.access(TINY / name, os.X_OK) == lines[0].startswith("#!") == ("build" not in ENGINES[name][0])
