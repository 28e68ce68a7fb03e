"""What a file of records consists of, and which numbers an entry may hold."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Final, Literal

from arena.model import GameRecord, RatingListRecord, TournamentRecord

__all__ = ["LONGEST", "NO_LINE", "VERSION", "Entry", "EntryKind", "ReadEntry", "RefusedEntry", "check"]

VERSION: Final = 1
"""Of the two formats; a file of a later one is refused."""

LONGEST: Final = 16 * 2**20
"""Bytes in a line, and in all of an entry: a longer one is refused, as memory must not fill with it."""

NO_LINE: Final = "this line is no UTF-8 text, or longer than 16 MiB"
"""Why a line of which there is no text is refused."""

Entry = TournamentRecord | RatingListRecord | GameRecord
EntryKind = Literal["tournament", "rating list", "game", "text"]
"""What a part of a file is; ``text`` where it cannot be told."""

_MOST: Final = 2**63
"""The database holds smaller integers only."""


@dataclass(frozen=True, slots=True)
class ReadEntry:
    """An entry as it stood in the file.

    Attributes:
        line: the number of its first line, from 1.
        entry: what was read.
        plies: the line of each ply of a game; empty where all of them stand in `line`.
    """

    line: int
    entry: Entry
    plies: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RefusedEntry:
    """A part of the file that is no entry.

    Attributes:
        line: where the fault is, from 1.
        kind: what it seems to be.
        reason: a sentence without a full stop.
    """

    line: int
    kind: EntryKind
    reason: str


def check(entry: Entry) -> Entry:
    """The same entry, whose numbers the database can hold.

    Raises:
        ValueError: they are not such; the message names what holds the number.
    """
    if isinstance(entry, TournamentRecord):
        _check_number("the beginning of the tournament", entry.created)
    elif isinstance(entry, GameRecord):
        _check_game(entry)
    return entry


def _check_game(game: GameRecord) -> None:
    result = game.result
    _check_count("the number in the schedule", result.number)
    _check_count("the duration", game.duration)
    _check_number("the beginning of the game", game.started)
    for seat, player in enumerate(result.players, 1):
        _check_count(f"the margin of player {seat}", player.margin)
        _check_count(f"the time used by player {seat}", player.time_used)
        _check_number(f"the points of player {seat}", player.points)
    for number, ply in enumerate(game.record, 1):
        if not (0 <= ply.time < _MOST and -_MOST < (ply.depth or 0) < _MOST and ply.seat >= 0):
            raise ValueError(f"a number of ply {number} is too large, or negative")


def _check_count(what: str, value: int) -> None:
    if not 0 <= value < _MOST:
        raise ValueError(f"{what} is too large, or negative")


def _check_number(what: str, value: float) -> None:
    if not isfinite(value):
        raise ValueError(f"{what} is no finite number")
