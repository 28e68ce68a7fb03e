"""Starts arena for a round, with its output as the round wants it, and judges how arena ends."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

__all__ = ["Arena", "Run", "wait_until"]

KILLS = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)
CODES = (0, 1, 2, 130, *(-number for number in KILLS))
"""Finished, an engine was disabled, an error, Ctrl-C twice, and signals before arena handles them."""

_GAME = re.compile(r"^\[\d+(?:/\d+)?\] (?:game \d+: )?(.*)\n", re.MULTILINE)


class Run:
    """One process of ``arena run``.

    Attributes:
        process: the process.
        text: what it has printed, as far as anybody can know.
    """

    def __init__(
        self, command: Sequence[str], output: str, folder: Path, environment: Mapping[str, str]
    ) -> None:
        self.text = ""
        self._file = folder.parent / "output.txt"  # the disk of the tournament may be full
        self._ours = -1  # our end of a pipe or a terminal
        self._away = threading.Event()
        out = self._open(output)
        words = ["sh", "-c", 'exec "$@" >&- 2>&-', "sh", *command] if output == "closed" else command
        self.process = subprocess.Popen(
            words,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
        os.close(out)
        if self._ours >= 0:
            self._reader = threading.Thread(target=self._read)
            self._reader.start()

    def _open(self, output: str) -> int:
        """Open the output, and return the end of it that arena gets."""
        if output == "terminal":
            self._ours, out = pty.openpty()
        elif output == "pipe":
            self._ours, out = os.pipe()
        elif output == "file":
            out = os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o666)
        else:
            out = os.open("/dev/full", os.O_WRONLY)
        return out

    def _read(self) -> None:
        """Read what it prints until it ends, or until nobody listens any more."""
        parts = []
        try:
            while not self._away.is_set() and (part := os.read(self._ours, 65536)):
                parts.append(part)
        except OSError:
            pass  # the end of a terminal
        os.close(self._ours)
        self.text = b"".join(parts).decode(errors="replace").replace("\r\n", "\n")

    def go_away(self) -> None:
        """Listen no more."""
        self._away.set()

    def alive(self) -> bool:
        """Return whether it is running."""
        return self.process.poll() is None

    def wait(self, seconds: float) -> bool:
        """Wait at most ``seconds`` for its end; return whether it has ended."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        if self._ours >= 0:
            self._reader.join()
            self._ours = -1
        elif self._file.exists():
            self.text = self._file.read_text(errors="replace")
        return True

    def games(self) -> Counter[str]:
        """Return the lines about finished games, without their numbers. A line without end does not count."""
        return Counter(_GAME.findall(self.text))


class Arena:
    """Starts arena again and again for one tournament.

    Args:
        folder: the folder of the tournament.
        user: the user who runs it.
        output: where its output goes.
        environment: more environment variables.

    Attributes:
        run: the process of ``arena run`` that was started last.
        faults: what was wrong with earlier ones, in sentences.
        printed: the lines about finished games of all of them.
    """

    def __init__(self, folder: Path, user: int, output: str, environment: Mapping[str, str]) -> None:
        self.run: Run | None = None
        self.faults: list[str] = []
        self.printed: Counter[str] = Counter()
        self.starts = 0
        self._folder = folder
        self._output = output
        self._environment = os.environ | environment
        self._become = (
            []
            if user == os.geteuid()
            else ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--"]
        )

    def start(self) -> Run:
        """Return the running process; start one if there is none."""
        if self.run is None:
            self.starts += 1
            command = self._command("run", "soak.toml")
            self.run = Run(command, self._output, self._folder, self._environment)
        return self.run

    def _command(self, *words: str) -> list[str]:
        return [*self._become, sys.executable, "-m", "arena", *words]

    def call(self, *words: str, allowed: Sequence[int] = (0,)) -> subprocess.CompletedProcess[str]:
        """Run another command of arena to its end; an exit code that is not allowed is a fault."""
        done = subprocess.run(
            self._command(*words),
            cwd=self._folder,
            env=self._environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=120,
        )
        if done.returncode not in allowed or "Traceback" in done.stderr:
            self.faults.append(
                f"arena {' '.join(words)}: exit code {done.returncode}: {done.stderr}{done.stdout}"
            )
        return done

    def end(self, seconds: float) -> int:
        """Wait until the running process has ended, judge it, and return its exit code."""
        run = self.start()
        if not run.wait(seconds):
            self.faults.append(f"arena still runs after {seconds:g} s; {run.text[-1000:]}")
            run.process.kill()
            run.wait(60)
        self._judge(run)
        self.run = None
        return run.process.returncode

    def _judge(self, run: Run) -> None:
        """Note an exit code that is not allowed, a traceback, and an error without a message."""
        code = run.process.returncode
        text = run.text
        killed = code in [-number for number in KILLS]  # perhaps before arena could handle a signal
        mute = code == 2 and "error: " not in text and self._output == "file"
        if code not in CODES or ("Traceback" in text and not killed) or mute:
            self.faults.append(f"arena ended with {code}: {text[-3000:]}")
        if self._output == "file":
            self.printed += run.games()


def wait_until(condition: Callable[[], object], seconds: float) -> bool:
    """Wait at most ``seconds`` until a condition is true; return whether it is."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
