"""Records the dialogue between the hub and one engine during a game, in a file for each game and engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from io import BufferedWriter
from itertools import count, takewhile
from pathlib import Path
from types import TracebackType
from typing import Self

from protocol.words import counted

LineObserver = Callable[[float, str, str], None]
"""Called with each line of a dialogue: the seconds since its start, the direction, the text."""

_MAX_PARTIAL = 65_536  # bytes kept of a line before its end
_MAX_FILE = 64 << 20
_MAX_LINES = 1000  # lines written for one call of `Transcript.note`


class Transcript:
    """Writes a dialogue to a file, to a callback, or to both.

    Each line has the seconds since the start and a direction: ``>`` for lines to the engine, ``<`` for its
    answers, ``!`` for its standard error, ``#`` for remarks of the hub. A line is recorded when it is
    complete; `close` records the rest of an incomplete line, with a note. The file is buffered; each remark
    and `close` flush it. Lines that cannot be written (for example on a full disk) are lost, and the file
    ends at 64 MiB; the game goes on.
    """

    def __init__(
        self, file: Path | None = None, watch: LineObserver | None = None, *, start: int | None = None
    ) -> None:
        """Create ``file`` and its folder, or raise OSError; the seconds count from ``start``, or from now.

        If ``NAME.log`` exists, the file is ``NAME.2.log``, then ``NAME.3.log`` and so on.
        """
        self._file = file
        self._out = None
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._out = _create(file)
        self._watch = watch
        self._start = time.monotonic_ns() if start is None else start
        self._partial: dict[str, bytes] = {}
        self._room = _MAX_FILE
        self._closed = False

    def note(self, direction: str, data: bytes | str) -> None:
        """Record lines; bytes may end within one. If thousands come together, only the first are written."""
        if self._closed:
            return  # an engine may print lines after its game is over
        if isinstance(data, str):
            self._write(direction, data.splitlines())
            return
        *lines, rest = (self._partial.pop(direction, b"") + data).split(b"\n")
        if len(rest) > _MAX_PARTIAL:
            lines, rest = [*lines, rest], b""
        if rest:
            self._partial[direction] = rest
        more = len(lines) - _MAX_LINES  # a flood of short lines must not delay the clocks of other games
        self._write(
            direction, [line.decode(errors="replace").removesuffix("\r") for line in lines[:_MAX_LINES]]
        )
        if more > 0:
            self._write("#", [f"too many lines came together; left out: {counted(more, 'line')}"])

    def _write(self, direction: str, lines: list[str]) -> None:
        seconds = (time.monotonic_ns() - self._start) / 1e9
        if self._watch is not None:
            for line in lines:
                self._watch(seconds, direction, line)
        if self._out is None or self._room <= 0:
            return
        data = "".join(f"{seconds:10.4f} {direction} {line}\n" for line in lines).encode(errors="replace")
        self._room -= len(data)
        if self._room <= 0:
            direction = "#"
            note = f"the rest is left out: this file has reached {_MAX_FILE >> 20} MiB"
            data = f"{seconds:10.4f} # {note}\n".encode()
        try:
            self._out.write(data)
            if direction == "#":
                self._out.flush()
        except OSError:
            pass  # a transcript must never end a game

    def close(self) -> None:
        """Finish the file."""
        for direction, part in self._partial.items():
            self._write(direction, [f"{part.decode(errors='replace')} (no end of line)"])
        self._partial.clear()
        self._closed = True
        try:
            if self._out is not None:
                self._out.close()
        except OSError:
            pass  # as above

    def keep(self, engine: str, count: int) -> None:
        """Move the closed file into the engine's own folder, where the newest ``count`` transcripts stay.

        0 removes the file. A fault of the disk changes nothing else.
        """
        if self._file is None or self._out is None:
            return
        written = Path(self._out.name)
        try:
            if not count:
                written.unlink()
                return
            folder = own_folder(self._file.parent, engine)
            folder.mkdir(exist_ok=True)
            written.rename(next(path for path in _numbered(folder / self._file.name) if not path.exists()))
            kept = folder.glob(f"*-{_part(engine)}*.log")  # the folder may have other files
            for old in sorted(kept, key=lambda path: path.stat().st_mtime_ns)[:-count]:
                old.unlink()
        except OSError:
            pass  # as in `close`; another referee may remove the same files

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _create(file: Path) -> BufferedWriter:
    """Create a file of this name, or with the first free number. Never overwrite a file."""
    for path in _numbered(file):
        try:
            return path.open("xb")
        except FileExistsError:
            pass
    raise AssertionError("there is always a next number")


def _numbered(file: Path) -> Iterator[Path]:
    """Yield the names ``NAME.log``, ``NAME.2.log``, ``NAME.3.log`` and so on."""
    yield file
    for number in count(2):
        yield file.with_stem(f"{file.stem}.{number}")


_LONGEST_PART = 100  # the most bytes of an id and of an engine's name


def transcript_file(folder: Path, job: str, seat: int, engine: str) -> Path:
    """Return the file of a seat's dialogue. If it exists, `Transcript` adds a number to its name."""
    return folder / f"{_part(job)}-{seat + 1}-{_part(engine)}.log"


def own_folder(folder: Path, engine: str) -> Path:
    """Return the folder with the transcripts of an engine's lost games."""
    return folder / (_part(engine).lstrip(".") or "_")


def newest_transcript(file: Path) -> Path | None:
    """Return the newest of ``file`` and its numbered successors; None if there is no such file."""
    files = list(takewhile(Path.is_file, _numbered(file)))
    return files[-1] if files else None


def _part(text: str) -> str:
    """Convert a text to a part of a file's name that is valid and short enough for every file system."""
    plain = "".join(char if char.isalnum() or char in "-_." else "_" for char in text)
    return plain.encode()[:_LONGEST_PART].decode(errors="ignore")
