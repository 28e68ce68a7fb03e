"""Orders to a real referee process: it answers each of them, and lives on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.forked_referee import Popen
from tests.fuzz import nasty
from tests.fuzz.explore import random_of, shares

BATCH = 50
SECONDS = 300
"""A referee that answers a batch later than this hangs. Most orders are refused immediately."""


def base_order() -> dict[str, Any]:
    """Return an order with all keys. Its engine ends immediately, so its game does, too."""
    engine = {
        "name": "a", "command": ["true", "x"], "cwd": ".", "env": {"X": "1"}, "dialect": "ugi",
        "options": {"Hash": "16"}, "force_options": False, "position": "moves",
        "sync": "move", "margin": 100, "sandbox": "none", "readable": [],
        "timeouts": {"handshake": 10, "ready": 1},
        "limits": {"memory": None, "processes": 10},
    }  # fmt: skip
    return {
        "do": "game", "id": "17", "game": "quoridor",
        "seats": [{"engine": engine, "time_control": "10+0.1"}, {"engine": {"name": "b",
        "command": ["./missing"]}, "time_control": "depth=6"}],
        "setup": None, "position": None, "moves": ["e2", "e8"], "log": None,
        "adjudication": {"repetition": 3, "plies": 400, "resign": {"score": 1000, "moves": 4,
        "sides": "both"}, "draw": {"score": 5, "moves": 8, "after": 60}, "at_limit": "count"},
    }  # fmt: skip


GAMES = ("quoridor", "quoridor", "quoridor4", "hops", "rampants", "chess", "no-such")
POSITIONS = (
    "/ / e4 e5 / 10 10 / 1",
    "/ / e4 e5 / 10 10 / 9",
    "/" * 5000,
    "/ / e4 e5 / 99999999999999999999 10 / 1",
)


def example(rng: Random, number: int) -> bytes:
    """Return a line that is an order, or nearly one."""
    order = base_order() | {"id": str(number), "game": rng.choice(GAMES)}
    if order["game"] == "quoridor4":
        order["seats"] *= 2
    if rng.random() < 0.05:
        order["people"] = rng.choice(([0], [1, 1], [7], [-1]))
    order["seats"][0]["engine"] |= {"dialect": rng.choice(("ugi", "uci", "xboard"))}
    if rng.random() < 0.1:
        order = {"do": "try", "id": order["id"], "engine": order["seats"][0]["engine"], "game": order["game"]}
    if rng.random() < 0.05:
        order["position"] = rng.choice((*POSITIONS, nasty.text(rng)))
    choice = rng.random()
    if choice < 0.03:
        line = rng.randbytes(rng.randrange(200))
    elif choice < 0.65:
        value: Any = order
        for _ in range(rng.choice((1, 1, 1, 2))):
            value = nasty.changed_value(rng, value)
        line = json.dumps(value, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")
    else:
        line = nasty.changed_bytes(rng, json.dumps(order).encode())
    if b"quit" in line and b'"do"' in line:
        return b"{}"
    return line.replace(b"\n", b" ")


class Dead(Exception):
    """The referee did not answer."""


class Referee:
    """A referee process with its answers."""

    def __init__(self, process: subprocess.Popen[Any]) -> None:
        self.process = process
        assert process.stdout is not None
        process.stdout.readline()

    def ask(self, lines: list[bytes]) -> list[dict[str, Any]]:
        """Send lines, and return the answer to each."""
        assert self.process.stdin is not None
        data = b"".join(line + b"\n" for line in lines)
        sender = threading.Thread(target=self._send, args=(data,))
        sender.start()
        timer = threading.Timer(SECONDS, self.process.kill)
        timer.start()
        try:
            answers: list[dict[str, Any]] = []
            while len(answers) < len(lines):
                event = self.process.stdout.readline()
                if not event:
                    raise Dead(f"no answer to {len(lines) - len(answers)} of {len(lines)} lines")
                answers += [
                    answer
                    for answer in [json.loads(event)]
                    if answer["event"] in ("refused", "finished", "tried")
                ]
            return answers
        finally:
            timer.cancel()
            sender.join()

    def quit(self) -> None:
        """Let it end."""
        self._send(b'{"do":"quit"}\n')
        if self.process.wait(SECONDS):
            raise Dead(f"exit code {self.process.returncode}")

    def _send(self, data: bytes) -> None:
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except BrokenPipeError:
            pass


@contextmanager
def referee(folder: Path) -> Iterator[Referee]:
    command = [sys.executable, "-P", "-m", "referee"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with (
        (folder / "stderr").open("wb") as errors,
        Popen(
            command, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
        ) as process,
    ):
        try:
            yield Referee(process)
        finally:
            process.kill()


@pytest.mark.parametrize("numbers", shares(100, 5000))
def test_the_referee_answers_every_order_and_lives_on(numbers: range, tmp_path: Path) -> None:
    lines = [example(random_of("order", number), number) for number in numbers]
    batches = [lines[at : at + BATCH] for at in range(0, len(lines), BATCH)]
    unanswered: list[bytes] = []
    errors = ""
    batch: list[bytes] = []
    while batches:
        with referee(tmp_path) as process:
            try:
                while batches:
                    batch = batches.pop(0)
                    process.ask(batch)
                process.quit()
            except (Dead, BrokenPipeError):
                unanswered += batch
        errors += (tmp_path / "stderr").read_text()
    culprits = [line for line in unanswered if not _answered(line, tmp_path)]
    shown = [line[:1500] for line in culprits[:5]]
    assert not unanswered, f"{len(culprits)} orders: {shown}\n{errors[-3000:]}"
    assert "Traceback" not in errors, errors[-3000:]


def _answered(line: bytes, folder: Path) -> bool:
    """Return whether a new referee answers a single line."""
    with referee(folder) as process:
        try:
            process.ask([line])
        except (Dead, BrokenPipeError):
            return False
    return True
