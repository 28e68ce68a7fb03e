"""Make the standard streams usable, even if the caller closed them (``>&-``) or goes away.

A closed stream leaves its descriptor free. The next file that is opened, such as the database, would get it,
and a program started by arena would write its errors into that file. So each free descriptor is given the
null device.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

if TYPE_CHECKING:
    from typing_extensions import Buffer

LOG_NAME: Final = "arena-run.log"
"""The file that says why an output was lost."""

_closed: set[str] = set()
"""The names of the standard streams that were closed when the program started, after `prepare_streams`."""

_CLOSED_OUTPUT = "standard output is closed; redirect it to a file, to /dev/null or to a program"
_PATH_BYTES = "arena-path-bytes"
"""The name of the error handler of standard output."""


class _ClosedOutput(io.RawIOBase):
    """Standard output that the caller closed. The first byte that a command writes raises an error.

    Later bytes are ignored, so the interpreter can flush the stream at its end.
    """

    def __init__(self) -> None:
        self._refused = False

    def writable(self) -> bool:
        """Return True: the stream accepts `write`."""
        return True

    def write(self, data: object) -> int:
        """Raise an error at the first call. Ignore the data of later calls.

        Raises:
            ArenaError: this is the first call.
        """
        from arena.errors import ArenaError

        if not self._refused:
            self._refused = True
            raise ArenaError(_CLOSED_OUTPUT)
        return memoryview(data).nbytes  # type: ignore[arg-type]  # a buffered writer passes bytes-like objects


def prepare_streams() -> None:
    """Open the standard streams that are closed, and let no character of input or output raise an error.

    A board is readable even if the encoding lacks a character, and a path that is not UTF-8 is printed as it
    is on the disk.
    """
    for descriptor in range(3):
        _occupy(descriptor)
    _closed.update(name for name in ("stdin", "stdout", "stderr") if getattr(sys, name) is None)
    if sys.stdin is None:
        sys.stdin = _null_device(os.O_RDONLY)
    if sys.stderr is None:
        sys.stderr = _null_device(os.O_WRONLY)
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(_ClosedOutput()), "utf-8")
    codecs.register_error(_PATH_BYTES, _path_bytes)
    handlers = ((sys.stdin, "replace"), (sys.stdout, _PATH_BYTES), (sys.stderr, "backslashreplace"))
    for stream, errors in handlers:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)


class _Lasting(io.RawIOBase):
    """A standard stream that becomes the null device when it breaks; a line in a log then says why."""

    def __init__(self, descriptor: int, words: str, log: Path, who: str) -> None:
        self._descriptor = descriptor
        self._words = words
        self._log = log
        self._who = who

    def writable(self) -> bool:
        """Return True."""
        return True

    def fileno(self) -> int:
        """Return the descriptor of the stream."""
        return self._descriptor

    def isatty(self) -> bool:
        """Return whether it is a terminal that is still there."""
        return os.isatty(self._descriptor)

    def write(self, data: Buffer) -> int:
        """Write bytes, or give the stream up."""
        try:
            return os.write(self._descriptor, data)
        except OSError as error:
            self.lose(error.strerror or str(error))
            return memoryview(data).nbytes

    def lose(self, reason: str) -> None:
        """Write to the null device from now on. If the log cannot be written, nobody can be told."""
        null_device = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null_device, self._descriptor)
        os.close(null_device)
        now = time.strftime("%Y-%m-%d %H:%M:%S")
        with contextlib.suppress(OSError):
            self._log.parent.mkdir(parents=True, exist_ok=True)
            with self._log.open("a", encoding="utf-8", errors="replace") as file:
                file.write(f"{now} {self._who}: {self._words} cannot be written: {reason}\n")


def outlast_readers(folder: Path, who: str) -> None:
    """Let the program go on when standard output or standard error breaks, until its end.

    A stream breaks when the reader of a pipe ends, a terminal goes away, or a disk is full.

    Args:
        folder: the folder of the log, `LOG_NAME`.
        who: what the program works on, for the log.
    """
    for descriptor, name, words in ((1, "stdout", "standard output"), (2, "stderr", "standard error")):
        stream = getattr(sys, name)
        lasting = _Lasting(descriptor, words, folder / LOG_NAME, who)
        if name in _closed:
            lasting.lose("it is closed")
        elif not isinstance(stream, io.TextIOWrapper) or _descriptor_of(stream) != descriptor:
            continue  # a caller in this process reads it
        buffered = io.BufferedWriter(lasting)
        setattr(sys, name, io.TextIOWrapper(buffered, stream.encoding, stream.errors, line_buffering=True))


def _descriptor_of(stream: TextIO) -> int | None:
    try:
        return stream.fileno()
    except OSError:
        return None


def _occupy(descriptor: int) -> None:
    """Open the null device as ``descriptor`` if it is free."""
    try:
        os.fstat(descriptor)
    except OSError:
        null_device = os.open(os.devnull, os.O_RDWR)
        if null_device != descriptor:
            os.dup2(null_device, descriptor)
            os.close(null_device)
        os.set_inheritable(descriptor, True)


def _null_device(flags: int) -> TextIO:
    return open(os.open(os.devnull, flags), "r" if flags == os.O_RDONLY else "w", encoding="utf-8")  # noqa: PTH123 - it stays open, and is a descriptor


def _path_bytes(error: UnicodeError) -> tuple[str | bytes, int]:
    """Encode the bytes of a path that is not UTF-8 as these bytes, and any other character as ``?``."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    char = error.object[error.start]
    path_byte = 0xDC80 <= ord(char) <= 0xDCFF
    return bytes([ord(char) - 0xDC00]) if path_byte else "?", error.start + 1
