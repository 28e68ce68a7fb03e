"""Read and write files of records: recognize the format, and decode the lines one at a time."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, Final

from arena.errors import ArenaError, explaining_unreadable
from arena.model import GameRecord
from arena.pgn import decode, has_games
from arena.records import jsonl, pgn, pgn_reading
from arena.records.entries import LONGEST, VERSION, Entry, ReadEntry, RefusedEntry

FORMATS: Final = MappingProxyType({"pgn": pgn, "jsonl": jsonl})
"""The modules that write the formats, by the name of the format."""

_HEADER: Final = re.compile(rb'\{\s*"leapfrog-arena records"\s*:\s*([0-9]{1,9})\s*\}\s*')
"""The first line of JSON lines."""

_BLOCK: Final = 1 << 20  # bytes of PGN that are read together


def write_records(entries: Iterable[Entry], format_name: str, out: BinaryIO) -> int:
    """Write a whole file, entry by entry, and return the number of games."""
    writer = FORMATS[format_name]
    out.write(writer.HEADER.encode())
    games = 0
    for entry in entries:
        out.write(writer.write(entry).encode())
        games += isinstance(entry, GameRecord)
    return games


def read_records(
    name: str, source: BinaryIO, tournament: str | None = None
) -> Iterator[ReadEntry | RefusedEntry]:
    """Yield the entries of a file, whose first line decides the format; only one entry is kept in memory.

    A tournament can only be named for games in PGN; their default is the name of the file.
    """
    with explaining_unreadable(Path(name)):
        first = source.readline(LONGEST)
    header = _HEADER.fullmatch(first.removeprefix(BOM_UTF8))
    if header is not None:
        if tournament is not None:
            raise ArenaError(
                f"{name}: --tournament is only for PGN; this file has the names of its tournaments"
            )
        if int(header[1]) > VERSION:
            raise ArenaError(
                f"{name}: has version {int(header[1])} of the format; read it with a newer version of arena"
            )
        return _readable(name, jsonl.read(_lines(source)))
    with explaining_unreadable(Path(name)):
        start = first + source.read(_BLOCK)
    if has_games(decode(start)):
        blocks = chain([start], iter(lambda: source.read(_BLOCK), b""))
        return _readable(name, pgn_reading.read(blocks, tournament or Path(name).stem))
    header_line = jsonl.HEADER.strip()
    raise ArenaError(
        f"{name}: is not a file of games: it has no tag of PGN, and its first line is not {header_line};"
        " unpack a packed file, convert UTF-16 with iconv, and write a database with arena export"
    )


def _readable(name: str, entries: Iterator[ReadEntry | RefusedEntry]) -> Iterator[ReadEntry | RefusedEntry]:
    with explaining_unreadable(Path(name)):
        yield from entries


def _lines(source: BinaryIO) -> Iterator[tuple[int, str | None]]:
    """Yield the numbers and texts of the lines after the first; None if one is too long or not UTF-8."""
    number = 1
    while line := source.readline(LONGEST):
        number += 1
        rest = line
        while len(rest) == LONGEST and not rest.endswith(b"\n"):  # skip the rest of a line that is too long
            rest, line = source.readline(LONGEST), b"\xff"
        try:
            yield number, line.decode("utf-8-sig")  # files may have been joined
        except UnicodeDecodeError:
            yield number, None
