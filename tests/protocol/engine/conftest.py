"""The hub's side of an engine that uses the engine library: exchanges raw lines through real pipes."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator

import pytest

PATIENCE = 30.0  # seconds, long enough for a busy machine


class Talk:
    """The hub's side of one engine."""

    def __init__(self, script: str) -> None:
        source = "from protocol.engine import *\nimport threading, time\n" + textwrap.dedent(script)
        self.process = subprocess.Popen(
            [sys.executable, "-c", source],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        )
        self._buffer = b""

    def send(self, text: str) -> None:
        self.process.stdin.write(text.encode())

    def line(self, patience: float = PATIENCE) -> str | None:
        """Return the next line; None if none comes in time, "" at the end of the output."""
        deadline = time.monotonic() + patience
        while b"\n" not in self._buffer:
            if not select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))[0]:
                return None
            data = os.read(self.process.stdout.fileno(), 65536)
            if not data:
                return ""
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode()

    def until(self, last: str) -> list[str]:
        """Return the lines up to the first one that starts with the word ``last``."""
        lines: list[str] = []
        while not lines or lines[-1].split()[:1] != [last]:
            line = self.line()
            assert line, f"waited for {last}, got {lines}"
            lines.append(line)
        return lines

    def ask(self, text: str) -> str:
        """Send lines that end with a ``go``, and return the answer."""
        self.send(text)
        return self.until("bestmove")[-1]

    def end(self, patience: float = PATIENCE) -> int:
        """Close the input, and return the exit status."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        return self.process.wait(patience)

    @property
    def errors(self) -> str:
        return self.process.stderr.read().decode()


@pytest.fixture
def talk() -> Iterator[Callable[[str], Talk]]:
    talks: list[Talk] = []

    def start(script: str) -> Talk:
        talks.append(Talk(script))
        return talks[-1]

    yield start
    for each in talks:
        each.process.kill()
        each.process.wait()
        for pipe in (each.process.stdin, each.process.stdout, each.process.stderr):
            pipe.close()
