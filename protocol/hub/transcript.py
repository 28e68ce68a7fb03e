"""What was said between the hub and one engine in one game, written down as it happens."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

from protocol.plurals import counted

__all__ = ["LineObserver", "Transcript"]

LineObserver = Callable[[float, str, str], None]
"""Is told a line of a dialogue: seconds since it began, the direction, the text."""

_MAX_PART = 65_536
_MAX_FILE = 64 << 20
_MAX_LINES = 1000
_AROUND = 14


class Transcript:
    """A dialogue to a file, a watcher, or both: a line each, with seconds since it began and the direction.

    ``>`` is what the engine was sent, ``<`` what it said, ``!`` its standard error, ``#`` a remark of the
    hub. A line is taken down when it is whole; one that never gets its end comes last, and says so. Writing
    is buffered, and the buffer is flushed with every remark and at the end. A log that cannot be written on
    (a full disk) ends there, and so does one that would become larger than 64 MiB; the game does not.
    """

    def __init__(
        self, file: Path | None = None, watch: LineObserver | None = None, *, begin: int | None = None
    ) -> None:
        """Create ``file`` (and its folder).

        Args:
            file: where to write; if that exists, ``NAME.2.log`` for ``NAME.log``, or ``NAME.3.log`` …
            watch: is told every line as well.
            begin: what the seconds count from, as `time.monotonic_ns` has it; None for now.

        Raises:
            OSError: it cannot be written.
        """
        self._out = None
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._out = _create(file)
        self._watch = watch
        self._begin = time.monotonic_ns() if begin is None else begin
        self._parts: dict[str, bytes] = {}
        self._room = _MAX_FILE
        self._closed = False

    def note(self, direction: str, data: bytes | str) -> None:
        """Write down every line of ``data``; bytes may end within a line."""
        if self._closed:
            return  # an engine's last words may come when its game is over
        if isinstance(data, str):
            self._write(direction, data.splitlines())
            return
        *lines, rest = (self._parts.pop(direction, b"") + data).split(b"\n")
        if len(rest) > _MAX_PART:
            lines, rest = [*lines, rest], b""
        if rest:
            self._parts[direction] = rest
        more = len(lines) - _MAX_LINES  # a flood of short lines must not keep us from the clocks
        self._write(
            direction, [line.decode(errors="replace").removesuffix("\r") for line in lines[:_MAX_LINES]]
        )
        if more > 0:
            self._write("#", [f"left out of what came at once: {counted(more, 'line')}"])

    def _write(self, direction: str, lines: list[str]) -> None:
        seconds = (time.monotonic_ns() - self._begin) / 1e9
        if self._watch is not None:
            for line in lines:
                self._watch(seconds, direction, line)
        if self._out is None or self._room <= 0:
            return
        self._room -= sum(len(line) + _AROUND for line in lines)
        if self._room <= 0:
            direction, lines = "#", ["the rest is left out: this log is large enough"]
        try:
            self._out.writelines(f"{seconds:10.4f} {direction} {line}\n" for line in lines)
            if direction == "#":
                self._out.flush()
        except OSError:
            pass  # nothing that a game should be lost for

    def close(self) -> None:
        """Finish the file."""
        for direction, part in self._parts.items():
            self._write(direction, [f"{part.decode(errors='replace')} (no end of line)"])
        self._parts.clear()
        self._closed = True
        try:
            if self._out is not None:
                self._out.close()
        except OSError:
            pass  # as above

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _create(file: Path) -> TextIO:
    """A new file of this name, or with the first number that makes it one: nothing is ever written over."""
    path = file
    for number in count(2):
        try:
            return path.open("x", encoding="utf-8", errors="replace")
        except FileExistsError:
            path = file.with_stem(f"{file.stem}.{number}")
    raise AssertionError("there is always a next number")
