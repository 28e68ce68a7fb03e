"""From bytes to entries and back: which format a file has, and its lines one at a time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from types import MappingProxyType, ModuleType
from typing import BinaryIO, Final

from arena.errors import ArenaError
from arena.model import GameRecord
from arena.records import jsonl, text, text_reader
from arena.records.entries import VERSION, Entry, Read, Refused

__all__ = ["FORMATS", "LONGEST", "read_records", "write_records"]

FORMATS: Final = MappingProxyType({"text": text, "jsonl": jsonl})
"""The modules that write the formats, by the formats' names."""

LONGEST: Final = 16 * 2**20
"""Bytes in a line: a longer one is no entry, and memory must not fill with it."""

_HEADERS: Final[tuple[tuple[re.Pattern[str], ModuleType], ...]] = (
    (re.compile(r"%leapfrog-arena records ([0-9]+)\s*"), text_reader),
    (re.compile(r'\{\s*"leapfrog-arena records"\s*:\s*([0-9]+)\s*\}\s*'), jsonl),
)


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


def read_records(name: str, source: BinaryIO) -> Iterator[Read | Refused]:
    """The entries of a file of either format, which its first line tells; memory holds one of them.

    Args:
        name: what to call the file in messages.
        source: the file.

    Raises:
        ArenaError: it does not begin as a file of records does, or a later version wrote it; or, while it is
            read, the machine has a fault.
    """
    lines = _readable(name, source)
    _, first = next(lines, (1, ""))
    for pattern, module in _HEADERS:
        found = pattern.fullmatch((first or "").removeprefix("\ufeff"))
        if found is None:
            continue
        if int(found[1]) > VERSION:
            raise ArenaError(
                f"{name}: is of version {found[1]}, which a later arena wrote; take that to read it"
            )
        entries: Iterator[Read | Refused] = module.read(lines)
        return entries
    beginnings = f"{text.HEADER.strip()} or {jsonl.HEADER.strip()}"
    raise ArenaError(f"{name}: is no file of games: the first line of one is {beginnings}")


def _readable(name: str, source: BinaryIO) -> Iterator[tuple[int, str | None]]:
    try:
        yield from _lines(source)
    except OSError as error:
        raise ArenaError(f"{name}: cannot be read: {error.strerror}") from error


def _lines(source: BinaryIO) -> Iterator[tuple[int, str | None]]:
    """Numbers and texts of lines; None for one that is too long, or no UTF-8."""
    number = 0
    while line := source.readline(LONGEST):
        number += 1
        whole = line.endswith(b"\n") or len(line) < LONGEST
        while not whole:  # the rest of a line that is too long
            rest = source.readline(LONGEST)
            whole = rest.endswith(b"\n") or len(rest) < LONGEST
            line = b""
        try:
            yield number, line.decode() if line else None
        except UnicodeDecodeError:
            yield number, None
