"""Files of openings, also the books that come with arena.

A file may have millions of openings, so its index keeps eight bytes for each of them, and no text.
"""

from __future__ import annotations

import hashlib
import os
import re
import weakref
from abc import abstractmethod
from array import array
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate, compress
from pathlib import Path
from typing import IO, Literal

from arena.errors import ConfigError, OpeningError, check_is_file, explaining_unreadable, not_utf8
from arena.pgn import PgnError, PgnGame, decode, has_games, parse, split
from protocol.words import counted
from referee import game as find_game

_BLOCK = 1 << 20  # about how many bytes are read together

_BOM = b"\xef\xbb\xbf"

_HEAD = 8192
"""How many bytes at the start of a file show what it is."""

_GZIP = b"\x1f\x8b"
_ZIP = (b"PK\3\4", b"PK\5\6")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")

_NAME = re.compile(r'\bid "([^"]+)"')
_QUOTES_OR_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|(?:^|(?<=\s))#.*')


class OpeningFile:
    """The openings of a file, as texts; the digest identifies them and their order. Raises `ConfigError`."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor
        weakref.finalize(self, os.close, self._descriptor)
        self._stamp = self._state()
        self._starts = array("Q")
        self.digest = self._index()
        if not self._starts:
            raise ConfigError(f"{path}: this has no openings; add one")

    @abstractmethod
    def _index(self) -> str:
        """Fill `_starts` with the place of each opening in the file, in bytes, and return the digest."""

    @abstractmethod
    def _opening(self, data: bytes) -> str:
        """Return the text of an opening from the bytes that start with it, and end before the next one."""

    def __len__(self) -> int:
        return len(self._starts)

    def __getitem__(self, index: int) -> str:
        """Read an opening; an `OpeningError` says that it cannot be read, or that the file has changed."""
        return self._opening(self._data(range(len(self))[index]))

    def _data(self, index: int) -> bytes:
        start = self._starts[index]
        end = self._starts[index + 1] if index + 1 < len(self) else self._stamp[0]
        data = os.pread(self._descriptor, end - start, start)
        if self._state() != self._stamp:
            raise OpeningError(
                "this file has changed since the tournament was loaded; run the tournament again"
            )
        return data

    def name(self, index: int) -> str:
        """The name of an opening, as EPD has it (``id "French";``); "" if it has none."""
        name = _NAME.search(self[index])
        return name[1] if name else ""

    def line(self, index: int) -> int:
        """The number of the line in which an opening starts, from 1."""
        return self._lines[index]

    def place(self, index: int) -> str:
        """Where an opening is, for a message: the file and the line."""
        return str(self.path) if self._state() != self._stamp else f"{self.path}, line {self.line(index)}"

    @cached_property
    def _lines(self) -> array[int]:
        """The line number of each opening. Only messages need it, so the file is read again for it."""
        numbers, number, before = array("I"), 1, 0
        for start in self._starts:
            data = self._read(start - before, before)
            number += data.count(b"\n") or data.count(b"\r")
            numbers.append(number)
            before = start
        return numbers

    def _state(self) -> tuple[int, int]:
        """The size of the file and the time of its last change."""
        status = os.fstat(self._descriptor)
        return status.st_size, status.st_mtime_ns

    def _blocks(self) -> Iterator[tuple[int, str]]:
        """Yield whole lines, many at a time, each time with the place of the first one in the file."""
        start, newlines, size = 0, 0, _BLOCK
        while data := self._read(size, start):
            end = data.rfind(b"\n") + 1
            if not end and len(data) == size:
                size *= 2  # the line is longer than the block
                continue
            data = data[: end or len(data)]
            mark = len(_BOM) if start == 0 and data.startswith(_BOM) else 0
            try:
                yield start + mark, data[mark:].decode()
            except UnicodeDecodeError as error:
                line = newlines + data.count(b"\n", 0, mark + error.start) + 1
                raise not_utf8(self.path, data, line, "a file of openings") from None
            start += len(data)
            newlines += data.count(b"\n")

    def _read(self, size: int, start: int) -> bytes:
        try:
            return os.pread(self._descriptor, size, start)
        except OSError as error:
            raise ConfigError(f"{self.path}: this cannot be read: {error.strerror}") from None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OpeningFile):
            return NotImplemented
        return (self.path, self.digest, len(self)) == (other.path, other.digest, len(other))

    def __hash__(self) -> int:
        return hash((self.path, self.digest))


class LineFile(OpeningFile):
    """A text file with one opening a line; ``#`` at its start or after a space starts a comment."""

    def _index(self) -> str:
        digest = hashlib.sha256()
        for start, text in self._blocks():
            openings = [*map(_without_comment, text.splitlines())]
            if texts := list(filter(None, openings)):
                digest.update(("\n" * bool(self._starts) + "\n".join(texts)).encode())
                self._starts.extend(compress(_places(start, text), openings))
        return digest.hexdigest()[:12]

    def _opening(self, data: bytes) -> str:
        line = _without_comment(data.decode().splitlines()[0])
        if has_games(line):
            raise OpeningError("this is PGN; give the file a name that ends with .pgn")
        return line


class PgnFile(OpeningFile):
    """A file of games in PGN: each game's position, if it has one, and its moves are an opening."""

    def _index(self) -> str:
        digest = hashlib.sha256()
        start = 0
        for lead, text in split(self._bytes(digest)):
            self._starts.append(start + _size(text[:lead]))
            start += _size(text)
        return digest.hexdigest()[:12]

    def _bytes(self, digest: hashlib._Hash) -> Iterator[bytes]:
        """Yield the bytes of the file."""
        start = 0
        while data := self._read(_BLOCK, start):
            digest.update(data if start else data.removeprefix(_BOM))
            start += len(data)
            yield data

    def line(self, index: int) -> int:
        """The number of the line in which an opening starts, or in which it has a fault, from 1."""
        try:
            parse(decode(self._data(index)))
        except PgnError as error:
            return self._lines[index] + error.line - 1
        return self._lines[index]

    def name(self, index: int) -> str:
        """The name of an opening: its tag ``Opening``, or else its tag ``ECO``; "" if it has neither."""
        tags = self._game(self._data(index)).tags
        return tags.get("opening") or tags.get("eco", "")

    def _game(self, data: bytes) -> PgnGame:
        try:
            return parse(decode(data))
        except PgnError as error:
            raise OpeningError(str(error)) from None

    def _opening(self, data: bytes) -> str:
        game = self._game(data)
        moves = " ".join(game.moves)
        if game.position is None:
            return moves or str(find_game(game.game).start())
        return f"{game.position} moves {moves}" if moves else game.position


def open_file(path: Path) -> OpeningFile:
    """Open and index a file of openings: PGN if its name ends with ``.pgn``; raise `ArenaError`.

    Of a file that gzip or zip has packed, the file in it is read from an unpacked copy.
    """
    descriptor, name = _open(path)
    return (PgnFile if name.lower().endswith(".pgn") else LineFile)(path, descriptor)


def _open(path: Path) -> tuple[int, str]:
    """Open a file of openings; return a descriptor of its text, and the name that says what it is."""
    with explaining_unreadable(path):
        check_is_file(path)
        with path.open("rb") as file:
            head = file.read(_HEAD)
            if not head.startswith((_GZIP, *_ZIP)):
                return _checked(path, head, file), path.name
            from tempfile import TemporaryFile  # imported late, because few books are packed

            file.seek(0)
            with TemporaryFile() as copy:
                name = _unpack(path, file, copy, zipped=not head.startswith(_GZIP))
                copy.seek(0)
                return _checked(path, copy.read(_HEAD), copy), name


def _checked(path: Path, head: bytes, file: IO[bytes]) -> int:
    """Return a new descriptor of a file, unless it starts like a binary file."""
    if b"\0" in head and not head.startswith(_UTF_16):
        raise ConfigError(
            f"{path}: this is a binary file, such as a Polyglot book or another kind of archive; arena reads"
            " text: a FEN, an EPD line or moves on each line, or PGN, also packed by gzip or zip"
        )
    return os.dup(file.fileno())


def _unpack(path: Path, file: IO[bytes], copy: IO[bytes], *, zipped: bool) -> str:
    """Unpack an archive, and return the name of the file in it."""
    import gzip
    import lzma
    import shutil
    import zipfile
    import zlib

    damaged = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError)
    try:
        if not zipped:
            shutil.copyfileobj(gzip.GzipFile(fileobj=file), copy)
            return path.stem if path.suffix.lower() == ".gz" else path.name
        with zipfile.ZipFile(file) as archive:
            name = _book_in(path, archive.namelist())
            with archive.open(name) as book:
                shutil.copyfileobj(book, copy)
            return name
    except (*damaged, RuntimeError) as error:  # zipfile raises a RuntimeError for a password or a new method
        reason = getattr(error, "strerror", None) or str(error) or "its end is missing"
        raise ConfigError(f"{path}: this cannot be unpacked: {reason}; unpack it yourself") from None


def _book_in(path: Path, members: list[str]) -> str:
    """Return the name of the only file in a zip, or of its only file in EPD or PGN."""
    files = [name for name in members if not name.endswith("/") and not name.startswith("__MACOSX/")]
    books = files if len(files) == 1 else [name for name in files if name.lower().endswith((".epd", ".pgn"))]
    if len(books) != 1:
        count = counted(len(books), "book") + " (.epd, .pgn)" if books else counted(len(files), "file")
        raise ConfigError(f"{path}: one book was expected in this zip, not {count}; unpack it, and name one")
    return books[0]


def _places(start: int, text: str) -> list[int]:
    """The place of each line of a text in its file, and of the end of the text."""
    lines: Sequence[str | bytes] = text.splitlines(keepends=True)
    if not text.isascii():
        lines = [str(line).encode() for line in lines]
    return list(accumulate(map(len, lines), initial=start))


def _size(text: str) -> int:
    """The number of bytes of a text that `decode` made."""
    return len(text) if text.isascii() else len(text.encode(errors="surrogateescape"))


def _without_comment(line: str) -> str:
    line = line.lstrip("\ufeff")  # of a file that was joined to another one
    return (_QUOTES_OR_COMMENT.sub(r"\1", line) if "#" in line else line).strip()


BookName = Literal["hops"]
"""The books are named after the ids of their games."""


def book_file(name: BookName) -> Path:
    """Return the file of a book, with one opening a line."""
    return Path(__file__).with_name(f"{name}.txt")
