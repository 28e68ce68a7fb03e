"""JSON lines: one entry a line, a game as `arena show --json` prints it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from msgspec.structs import asdict, astuple

from arena.model import GameRecord, RatingListRecord, TournamentRecord
from arena.records.entries import NO_LINE, VERSION, Entry, EntryKind, ReadEntry, RefusedEntry, check
from referee.ply import Ply

__all__ = ["HEADER", "game_data", "read", "write"]

HEADER: Final = f'{{"leapfrog-arena records":{VERSION}}}\n'
"""How a file begins."""


class _NamedPly(Ply, frozen=True, array_like=False):
    """A ply as it is written here: an object with named values."""


@dataclass(frozen=True, slots=True)
class _Game(GameRecord):
    """A game as it is written here."""

    record: tuple[_NamedPly, ...]

    def as_record(self) -> GameRecord:
        """The game with its plies as the rest of arena has them."""
        plies = tuple(Ply(*astuple(ply)) for ply in self.record)
        return GameRecord(self.result, self.opening, plies, self.final_position, self.started, self.duration)


class _Line(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """One of them is there."""

    tournament: TournamentRecord | None = None
    rating_list: RatingListRecord | None = None
    game: _Game | None = None

    def entry(self) -> Entry:
        """What is there.

        Raises:
            ValueError: nothing, or more than one thing; or a number is too large.
        """
        game = None if self.game is None else self.game.as_record()
        found = [part for part in (self.tournament, self.rating_list, game) if part is not None]
        if len(found) != 1:
            raise ValueError("a line has one of `tournament`, `rating_list` and `game`")
        return check(found[0])


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_Line).decode


def game_data(game: GameRecord) -> dict[str, Any]:
    """A game as builtins, as `write` encodes it: every ply is a dict."""
    data: dict[str, Any] = msgspec.to_builtins(game)
    data["record"] = [asdict(ply) for ply in game.record]
    return data


def write(entry: Entry) -> str:
    """The line of one entry."""
    line: object
    if isinstance(entry, GameRecord):
        line = {"game": game_data(entry)}
    elif isinstance(entry, TournamentRecord):
        line = _Line(tournament=entry)
    else:
        line = _Line(rating_list=entry)
    return _encode(line).decode() + "\n"


def read(lines: Iterable[tuple[int, str | None]]) -> Iterator[ReadEntry | RefusedEntry]:
    """The entries of a file, in order; memory holds one of them.

    Args:
        lines: numbers and texts of the lines behind the first; None for a line that is no text.
    """
    for number, line in lines:
        if line is None:
            yield RefusedEntry(number, "text", NO_LINE)
            continue
        if not line.strip() or line.startswith('{"leapfrog-arena records":'):
            continue
        try:
            yield ReadEntry(number, _decode(line).entry())
        except (msgspec.DecodeError, ValueError) as error:
            yield RefusedEntry(number, _kind(line), str(error))


def _kind(line: str) -> EntryKind:
    """What a line that cannot be read was to be, by its beginning."""
    for word, kind in _KINDS.items():
        if line.startswith(f'{{"{word}":'):
            return kind
    return "text"


_KINDS: Final[dict[str, EntryKind]] = {
    "tournament": "tournament",
    "rating_list": "rating list",
    "game": "game",
}
