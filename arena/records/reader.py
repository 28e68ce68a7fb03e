"""From bytes to entries and back: which format a file has, and its lines one at a time."""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator
from types import MappingProxyType, ModuleType
from typing import BinaryIO, Final

from arena.errors import ArenaError
from arena.model import GameRecord
from arena.records import jsonl, text_reader
from arena.records import text_writer as text
from arena.records.entries import LONGEST, VERSION, Entry, ReadEntry, RefusedEntry

__all__ = ["FORMATS", "read_records", "write_records"]

FORMATS: Final = MappingProxyType({"text": text, "jsonl": jsonl})
"""The modules that write the formats, by the formats' names."""

_HEADERS: Final[tuple[tuple[re.Pattern[bytes], ModuleType], ...]] = (
    (re.compile(rb"%leapfrog-arena records ([0-9]{1,9})\s*"), text_reader),
    (re.compile(rb'\{\s*"leapfrog-arena records"\s*:\s*([0-9]{1,9})\s*\}\s*'), jsonl),
)

_UTF_16: Final = "is UTF-16, and records are UTF-8: iconv -f utf-16 -t utf-8 FILE | arena import -"
_MISTAKES: Final = (
    (b"\x1f\x8b", "is packed: gzip -dc FILE | arena import -"),
    (b"\x28\xb5\x2f\xfd", "is packed: zstd -dc FILE | arena import -"),
    (b"\xfd7zXZ", "is packed: xz -dc FILE | arena import -"),
    (BOM_UTF16_LE, _UTF_16),
    (BOM_UTF16_BE, _UTF_16),
    (b"%\x00", _UTF_16),
    (b"{\x00", _UTF_16),
    (b"\x00", _UTF_16),
    (b"SQLite format 3", "is a database, and no text: arena export --db FILE | arena import -"),
)
"""How files begin that people take for records, and what to do with them."""


def write_records(entries: Iterable[Entry], format_name: str, out: BinaryIO) -> int:
    """Write a whole file, entry by entry, and say how many games there were.

    Raises:
        OSError: it cannot be written.
    """
    chosen = FORMATS[format_name]
    out.write(chosen.HEADER.encode())
    games = 0
    for entry in entries:
        out.write(chosen.write(entry).encode())
        games += isinstance(entry, GameRecord)
    return games


def read_records(name: str, source: BinaryIO) -> Iterator[ReadEntry | RefusedEntry]:
    """The entries of a file of either format, which its first line tells; memory holds one of them.

    Args:
        name: what to call the file in messages.
        source: the file.

    Raises:
        ArenaError: it does not begin as a file of records does, or a later version wrote it; or, while it is
            read, the machine has a fault.
    """
    lines = _readable(name, source)
    first = next(lines, (1, b""))[1] or b""
    for pattern, module in _HEADERS:
        found = pattern.fullmatch(first.removeprefix(BOM_UTF8))
        if found is None:
            continue
        if int(found[1]) > VERSION:
            raise ArenaError(
                f"{name}: is of version {int(found[1])}, which a later arena wrote; take that to read it"
            )
        entries: Iterator[ReadEntry | RefusedEntry] = module.read(_decoded(lines))
        return entries
    for beginning, hint in _MISTAKES:
        if first.startswith(beginning):
            raise ArenaError(f"{name}: {hint}")
    beginnings = f"{text.HEADER.strip()} or {jsonl.HEADER.strip()}"
    raise ArenaError(f"{name}: is no file of games: the first line of one is {beginnings}")


def _readable(name: str, source: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    try:
        yield from _lines(source)
    except OSError as error:
        raise ArenaError(f"{name}: cannot be read: {error.strerror}") from error


def _lines(source: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Numbers and bytes of lines; None for one that is too long."""
    number = 0
    while line := source.readline(LONGEST):
        number += 1
        whole = line.endswith(b"\n") or len(line) < LONGEST
        while not whole:  # the rest of a line that is too long
            rest = source.readline(LONGEST)
            whole = rest.endswith(b"\n") or len(rest) < LONGEST
            line = b""
        yield number, line or None


def _decoded(lines: Iterator[tuple[int, bytes | None]]) -> Iterator[tuple[int, str | None]]:
    """Numbers and texts of lines; None also for one that is no UTF-8."""
    for number, line in lines:
        try:
            yield number, line if line is None else line.decode()
        except UnicodeDecodeError:
            yield number, None
