"""Keeps the output of a run when a standard stream breaks.

When a standard stream of ``arena run`` breaks (the reader of a pipe ends, a terminal goes away, a disk is
full, a descriptor is closed), the run plays on, and writes what it cannot show to a file.
"""

from __future__ import annotations

import errno
import io
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO, cast

from arena.cli.program.streams import closed_streams

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["LOG_NAME", "LastingStream", "is_lost", "make_output_last"]

LOG_NAME: Final = "arena-run.log"
"""The name of the file with the lost output, in the folder of transcripts or else beside the database."""

_ESCAPE: Final = "\x1b"


class _LostOutput:
    """The file for output that cannot be shown. It is created when the first text is lost."""

    def __init__(self, folder: Path, tournament: str) -> None:
        self._path = folder / LOG_NAME
        self._tournament = tournament
        self._heading = ""

    def begin(self, stream: str, reason: str) -> None:
        """Write a heading that says why a stream is lost, as soon as there is a text to follow it."""
        now = time.strftime("%Y-%m-%d %H:%M:%S")
        self._heading += f"{now} {self._tournament}: {stream} cannot be written: {reason}\n"

    def write(self, text: str) -> None:
        """Append a text; if that fails, nobody can be told."""
        if not text:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8", errors="replace") as file:
                file.write(self._heading + text)
            self._heading = ""
        except OSError:
            return


class _Buffer(io.RawIOBase):
    """The binary side of a `LastingStream`, so that nothing writes past it."""

    def __init__(self, stream: LastingStream) -> None:
        self._stream = stream

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, data: Buffer) -> int:
        """Write bytes, or log them as text."""
        return self._stream.write_bytes(bytes(data))

    def flush(self) -> None:
        """Pass the bytes on."""
        self._stream.flush()


class LastingStream:
    """A text stream for output that writes to the log as soon as the stream below it breaks.

    Args:
        below: the stream.
        name: its name for users.
        log: takes what cannot be written.

    Attributes:
        lost: whether the stream is broken.
        buffer: the same stream, for bytes.
    """

    def __init__(self, below: TextIO, name: str, log: _LostOutput) -> None:
        self._below = below
        self._terminal = below.isatty()
        self._name = name
        self._log = log
        self._unsure = ""  # the text since the last flush that worked
        self.lost = False
        self.buffer = _Buffer(self)

    @property
    def encoding(self) -> str:
        """The encoding of the stream below."""
        return self._below.encoding

    @property
    def errors(self) -> str | None:
        """How the stream below treats characters that it cannot encode."""
        return self._below.errors

    def isatty(self) -> bool:
        """Return whether the stream is a terminal that can still be written.

        When the terminal has gone away, `isatty` of the stream below is False and rich stops writing. So no
        write fails, and only this method notices the loss.
        """
        if self._terminal and not self.lost and not self._below.isatty():
            self.lose(OSError(errno.EIO, os.strerror(errno.EIO)))
        return self._terminal and not self.lost

    def fileno(self) -> int:
        """Return the descriptor of the stream below."""
        return self._below.fileno()

    def write(self, text: str) -> int:
        """Write a text, or log it."""
        if not isinstance(text, str):
            raise TypeError(f"a text stream takes text, not {type(text).__name__}")
        self._unsure += text
        if self.lost:
            self._write_log()
            return len(text)
        try:
            self._below.write(text)
        except (OSError, ValueError) as error:
            self.lose(error)
        return len(text)

    def write_bytes(self, data: bytes) -> int:
        """Write bytes, or log them as UTF-8."""
        self._unsure += data.decode(errors="replace")
        if self.lost:
            self._write_log()
            return len(data)
        try:
            self._below.flush()
            self._below.buffer.write(data)
        except (OSError, ValueError) as error:
            self.lose(error)
        return len(data)

    def flush(self) -> None:
        """Pass the text on."""
        if self.lost:
            return
        try:
            self._below.flush()
        except (OSError, ValueError) as error:
            self.lose(error)
        else:
            self._unsure = ""

    def lose(self, error: Exception) -> None:
        """Give the stream up: write to the log from now on."""
        self.lost = True
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        self._log.begin(self._name, reason)
        self._write_log()
        try:  # at the end of the program, a flush of the rest in the buffer below would fail
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, self._below.fileno())
            os.close(null)
        except (OSError, ValueError):
            return

    def _write_log(self) -> None:
        text, self._unsure = self._unsure, ""
        if _ESCAPE not in text:  # not the frames of a live page
            self._log.write(text)


def make_output_last(folder: Path, tournament: str) -> None:
    """Replace standard output and standard error until the end of the process.

    Args:
        folder: the folder of the log.
        tournament: the tournament's name, for the log.
    """
    log = _LostOutput(folder, tournament)
    for name, words in (("stdout", "standard output"), ("stderr", "standard error")):
        stream = LastingStream(getattr(sys, name), words, log)
        if name in closed_streams:
            stream.lose(OSError(0, "it is closed"))
        setattr(sys, name, cast("TextIO", stream))


def is_lost(stream: object) -> bool:
    """Return whether a stream is a `LastingStream` that writes to its log."""
    return isinstance(stream, LastingStream) and stream.lost
