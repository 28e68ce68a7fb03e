"""A running bot: its process, and the lines to and from it, by its standard streams or a connection."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from select import select
from typing import Final

from arena.bridges import startable
from protocol.errors import EngineStartError

LONGEST: Final = 1 << 20  # bytes of a line or a message from a bot
PATIENCE: Final = 1.5  # seconds of silence after which the bridge says what is missing
CONNECTING: Final = 30.0  # seconds in which a bot must listen or connect
_SILENT: Final = "has said nothing; if it answers in a terminal, it must flush each line that it prints"
_UNENDED: Final = 0.05  # seconds of silence after which text without a newline is a line, on a connection


class BotFailed(Exception):
    """The bot, or what the bridge needs, cannot go on. The process ends: the hub counts a crash."""


class Bot:
    """A running bot."""

    def __init__(self, command: Sequence[str], door: socket.socket | None = None, output: int = 2) -> None:
        """Start the bot. With a door, wait until it connects there; its ``output`` is standard error then."""
        self._sent = self._heard = ""  # what was sent last, and heard since then
        self._data = b""
        self._spoke = self._explained = False
        self._sent_at = 0.0
        try:
            words = startable(command, str(Path.cwd()))
            env = {**os.environ, "PYTHONUNBUFFERED": "1"}
            self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=output, env=env)
        except (EngineStartError, OSError) as error:
            raise BotFailed(f"the bot cannot be started: {error}") from None
        self.client = door and self._accepted(door)
        stdout = self._process.stdout
        self._output = self.client.fileno() if self.client else stdout.fileno() if stdout else -1

    def _accepted(self, door: socket.socket) -> socket.socket:
        until = time.monotonic() + CONNECTING
        while not select([door], [], [], 0.05)[0]:
            self.check()
            if time.monotonic() > until:
                place = ":".join(map(str, door.getsockname()[:2]))
                raise BotFailed(f"the bot has not connected to {place} in {CONNECTING:.0f} seconds")
        return door.accept()[0]

    def send(self, text: str) -> None:
        """Write a line."""
        self._sent, self._heard, self._explained = text, "", False
        data = f"{text}\n".encode()
        try:
            if self.client:  # a client that takes what has come for a line gets each line by itself
                time.sleep(max(0.0, self._sent_at + _UNENDED - time.monotonic()))
                self.client.sendall(data)
                self._sent_at = time.monotonic()
            else:
                assert self._process.stdin is not None
                self._process.stdin.write(data)
                self._process.stdin.flush()
        except OSError:
            self.check(1)

    def line(self, missing: str, seconds: float | None = None) -> str | None:
        """Return the next line without white space around it; None if there is none in this many seconds.

        ``missing`` is what the bridge waits for: standard error has it, with what the bot said instead, if
        the bot is silent for a while.
        """
        while b"\n" not in self._data:
            unended = self.client is not None and self._data.strip() != b""
            explains = seconds is None and not self._explained
            wait = _UNENDED if unended else PATIENCE if explains else seconds
            if select([self._output], [], [], wait)[0]:
                self._read()
            elif unended:
                self._data += b"\n"
            elif explains:
                self._explained = True
                self._explain(missing)
            else:
                return None
        line, _, self._data = self._data.partition(b"\n")
        self._spoke = True
        self._heard = line.decode(errors="replace").removeprefix("\ufeff").strip()
        return self._heard

    def _read(self) -> None:
        """Add what the bot has said."""
        try:
            data = os.read(self._output, LONGEST)
        except OSError:
            data = b""
        if not data:
            self.check(1)
        self._data += data
        if len(self._data.rpartition(b"\n")[2]) >= LONGEST:
            raise BotFailed(f"the bot printed a line of {LONGEST} bytes")

    def _explain(self, missing: str) -> None:
        """Say on standard error what is missing, unless the bot may only be thinking."""
        heard = self._data.decode(errors="replace").strip() or self._heard
        if heard or not self._spoke:
            said = f"said {heard[:200]!r}" if heard else _SILENT
            sys.stderr.write(f"bridge: the bot got {self._sent[:200]!r} and {said}; {missing}\n")

    def check(self, seconds: float = 0) -> None:
        """Fail if the bot has ended; with seconds, in which it should end, fail in any case."""
        heard, sent = f" after it said {self._heard!r}", f" after it got {self._sent!r}"
        last = heard if self._heard else sent if self._sent else ""
        try:
            status = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            if seconds:
                raise BotFailed(f"the bot closed its input or output{last}") from None
        else:
            raise BotFailed(f"the bot ended with status {status}{last}")

    def close(self, farewell: str) -> None:
        """End the bot: its input ends with some last words, and after half a second it is killed."""
        if self.client:
            self.client.close()
        try:
            self._process.communicate(farewell.encode(), timeout=0.5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
