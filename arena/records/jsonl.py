"""Records as JSON lines: one entry in each line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any, Final, get_args

import msgspec
from msgspec.structs import astuple

from arena.model import GameRecord, GameResult, NamedPly, RatingListRecord, TournamentRecord, export_line
from arena.records.entries import NO_LINE, VERSION, Entry, EntryKind, ReadEntry, RefusedEntry, check
from arena.replay import clocks, positions
from protocol.wire.messages import thought
from referee import game
from referee.ply import Ply

HEADER: Final = f'{{"leapfrog-arena records":{VERSION}}}\n'
"""The first line of a file."""


@dataclass(frozen=True, slots=True)
class _Game(GameRecord):
    """A game as a JSON object."""

    record: tuple[NamedPly, ...]  # type: ignore[assignment]  # only its form differs

    def as_record(self) -> GameRecord:
        """Return the game with plies of the usual class."""
        plies = tuple(map(_ply, self.record))
        values = {field.name: getattr(self, field.name) for field in fields(GameRecord)}
        return GameRecord(**values | {"record": plies})


def _ply(named: NamedPly) -> Ply:
    seat, text, time, score, depth, *reported = astuple(named)
    return Ply(seat, text, time, score, depth, thought(*reported))


class _Line(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A line; exactly one of the fields is not None."""

    tournament: TournamentRecord | None = None
    rating_list: RatingListRecord | None = None
    game: _Game | None = None

    def entry(self) -> Entry:
        """Return the entry of the line."""
        record = None if self.game is None else self.game.as_record()
        entries = [entry for entry in (self.tournament, self.rating_list, record) if entry is not None]
        if len(entries) != 1:
            raise ValueError("a line must have exactly one of `tournament`, `rating_list` and `game`")
        return check(entries[0])


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_Line).decode


def game_data(game: GameRecord) -> dict[str, Any]:
    """Return a game as dicts and lists, as `write` encodes it; every ply is a dict."""
    data: dict[str, Any] = msgspec.json.decode(export_line(game))["game"]
    return data


def result_data(result: GameResult) -> dict[str, Any]:
    """Return a result as commands and the API print it: with its number, and its place in the schedule."""
    return _numbered(msgspec.to_builtins(result))


def _numbered(result: dict[str, Any]) -> dict[str, Any]:
    """Replace the numbers of records, ``id`` and ``number``, by the numbers of users."""
    number, place = result.pop("id"), result.pop("number") + 1
    return {"number": number, "place": place, **result}


def whole_game(record: GameRecord, *, boards: bool) -> dict[str, Any]:
    """Return a game as `arena show --json` prints it, with the clock after each ply in nanoseconds.

    With boards: also each position string; their rules may be missing or refuse the game (`RefereeError`).
    """
    data = game_data(record)
    data["result"] = _numbered(data["result"])
    for ply, (_, left) in zip(data["record"], clocks(record), strict=True):
        ply["clock"] = left
    if boards:
        data["positions"] = list(map(str, positions(game(record.result.game), record)))
    return data


def write(entry: Entry) -> str:
    """Return the line of an entry."""
    if isinstance(entry, GameRecord):
        line = export_line(entry)
    elif isinstance(entry, TournamentRecord):
        line = _encode(_Line(tournament=entry))
    else:
        line = _encode(_Line(rating_list=entry))
    return line.decode() + "\n"


def read(lines: Iterable[tuple[int, str | None]]) -> Iterator[ReadEntry | RefusedEntry]:
    """Yield the entries of a file in order; a line after the first is None if it cannot be decoded."""
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
        except RecursionError:
            yield RefusedEntry(number, _kind(line), "JSON is nested too deeply")


def _kind(line: str) -> EntryKind:
    """Return the kind of a line that cannot be read, by how it starts."""
    kinds = (kind for kind in get_args(EntryKind) if line.startswith(f'{{"{kind.replace(" ", "_")}":'))
    return next(kinds, "text")
