"""Make the standard streams usable, even if the caller closed them (``>&-``).

A closed stream leaves its descriptor free. The next file that is opened, such as the database, would get it,
and a program started by arena would write its errors into that file. So each free descriptor is given the
null device.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from typing import TextIO

__all__ = ["closed_streams", "prepare_streams"]

closed_streams: set[str] = set()
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
    closed_streams.update(name for name in ("stdin", "stdout", "stderr") if getattr(sys, name) is None)
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
