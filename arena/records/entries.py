"""The entries of a file of records, and the check of their numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from arena.model import GameRecord, RatingListRecord, TournamentRecord
from protocol.spec import MAX_SECONDS
from protocol.wire.messages import MAX_PV, USAGE, Thought

VERSION: Final = 1
"""The version of the archive; a file of a later version is refused."""

LONGEST: Final = 16 * 2**20
"""The most bytes in a line and in an entry. A longer one is refused, so that it cannot fill the memory."""

DAY: Final = 86_400
"""The seconds of a day. A game in PGN that starts at a whole day has no known time of day."""

NO_LINE: Final = "this line is not UTF-8 text, or is longer than 16 MiB"
"""The reason for refusing a line that cannot be decoded."""

Entry = TournamentRecord | RatingListRecord | GameRecord
EntryKind = Literal["tournament", "rating list", "game", "text"]
"""The kind of an entry; ``text`` if it is unknown."""

_LIMIT: Final = 2**63  # integers in the database are smaller than this

_INSTANTS: Final = -30_610_224_000, 221_845_392_000
"""The first seconds of the years 1000 and 9000, counted from 1970. Every instant between is a date."""

_MAX_POINTS: Final = 1_000_000

_MAX_SEATS: Final = 99  # the most players of a game: the tag of a player has a number of two digits


@dataclass(frozen=True, slots=True)
class ReadEntry:
    """An entry of a file with the number of its first line.

    A game with ``other_keys`` comes from PGN, and is known by its content. It has the first of them if its
    own key belongs to a game at another time; the second is its key in the database that exported it.
    """

    line: int
    entry: Entry
    other_keys: tuple[str, ...] = ()
    note: str = ""  # what the user must know if the entry is added


@dataclass(frozen=True, slots=True)
class RefusedEntry:
    """A part of a file that is not a valid entry: the line of the fault, what it seems to be, and why."""

    line: int
    kind: EntryKind
    reason: str


def check(entry: Entry) -> Entry:
    """Return the entry if the database can store its numbers; a ValueError names one that it cannot."""
    if isinstance(entry, TournamentRecord):
        _check_instant("the start of the tournament", entry.created)
    elif isinstance(entry, GameRecord):
        _check_game(entry)
    return entry


def _check_game(game: GameRecord) -> None:
    result = game.result
    if len(result.players) > _MAX_SEATS:
        raise ValueError(f"it has more than {_MAX_SEATS} players")
    if "" in result.names or len({*result.names}) < len(result.names):
        raise ValueError("two of its players have the same name, or one has none")
    _check_number("the number in the schedule", result.number)
    _check_number("the duration", game.duration)
    _check_instant("the start of the game", game.started)
    for seat, player in enumerate(result.players, 1):
        _check_number(f"the margin of player {seat}", player.margin, 0, MAX_SECONDS * 1000)
        _check_number(f"the time used by player {seat}", player.time_used)
        _check_number(f"the points of player {seat}", player.points, -_MAX_POINTS, _MAX_POINTS)
    for number, ply in enumerate(game.record, 1):
        if not (0 <= ply.time < _LIMIT and -_LIMIT < (ply.depth or 0) < _LIMIT and ply.seat >= 0):
            raise ValueError(f"a number of ply {number} is too large, or negative")
        if ply.thought is not None:
            _check_thought(ply.thought, number)


def _check_thought(thought: Thought, number: int) -> None:
    counts = (thought.nodes, thought.nps, thought.seldepth, thought.hashfull)
    if not all(count is None or 0 <= count < _LIMIT for count in counts):
        raise ValueError(f"a number of ply {number} is too large, or negative")
    if len(thought.pv) > MAX_PV or not thought.pv.isprintable():
        raise ValueError(
            f"the variation of ply {number} has more than {MAX_PV} characters, or some that are not printable"
        )
    if thought.usage and not USAGE.fullmatch(thought.usage):
        raise ValueError(f"the usage of ply {number} is no list of names and numbers")


def _check_number(name: str, value: float, least: float = 0, most: float = _LIMIT - 1) -> None:
    if not least <= value <= most:
        raise ValueError(f"{name} is not a number from {least} to {most}")


def _check_instant(name: str, seconds: float) -> None:
    if not _INSTANTS[0] <= seconds <= _INSTANTS[1]:
        raise ValueError(f"{name} is not between the years 1000 and 9000")
