"""Convert rows to the values of the store and back; raise `InvalidRow` for values that arena never writes.

The functions for many games convert a hundred thousand in a second or two, so they take plain tuples, in the
order of `RESULT_COLUMNS` and `PLAYER_COLUMNS`, and share equal strings.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import cache
from itertools import starmap
from operator import itemgetter
from sys import intern
from types import NoneType
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar
from zlib import crc32

import msgspec
from msgspec.structs import astuple
from sqlalchemy import Column

from arena.model import (
    REMOTE_LIST,
    GameRecord,
    GameResult,
    Opening,
    PlayerRecord,
    RatingListRecord,
    TournamentRecord,
    export_line,
)
from arena.scoring import GameScore, SeatScore
from arena.store.errors import InvalidRow
from arena.store.rows import GAME, PLAYER, RecordRow, TournamentRow
from protocol.wire.messages import Thought, thought
from referee.outcome import Termination
from referee.ply import Ply

Engine: TypeAlias = tuple[str, str, str, str]
"""The name, version, program and options of an engine, which identify it; the options as `options_text`."""

_T = TypeVar("_T")


def decoded(text: str | bytes, kind: Any = Any) -> Any:  # noqa: ANN401 - a value of this type
    """Decode a JSON column; msgspec does this three times as fast as `json`."""
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise InvalidRow(str(error)) from error


def types_of(column: Column[Any]) -> set[type]:
    """Return the types of the values that a column may have."""
    return {column.type.python_type, *((NoneType,) if column.nullable else ())}


def checked(value: object, kind: type[_T]) -> _T:
    """Return the value, converted to the type ``kind``; every part must have the declared type."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise InvalidRow(str(error)) from error


@contextmanager
def nothing_missing() -> Iterator[None]:
    """Raise `InvalidRow` if a row refers to what does not exist."""
    try:
        yield
    except KeyError as error:
        raise InvalidRow(str(error)) from error


# Whole games.


class _Plies(NamedTuple):
    """The plies of a game as arrays, with the names of their columns.

    They have the order of the fields of `Ply` and `Thought`.
    """

    seats: list[int]
    moves: list[str]
    times: list[int]
    scores: list[str]
    depths: list[int | None]
    nodes: list[int | None] | None  # like the next ones: None if no engine reported such a value
    nps: list[int | None] | None
    seldepths: list[int | None] | None
    hashfulls: list[int | None] | None
    pvs: list[str] | None
    usages: list[str] | None


def opening_text(opening: Opening) -> str:
    """Return the value of `GameRow.opening`."""
    return storable(" ".join([*filter(None, [opening.position]), *opening.moves]))


def game_record(result: GameResult, circumstances: Sequence[Any], row: RecordRow) -> GameRecord:
    """Return a whole game from its result, the columns `CIRCUMSTANCES`, and the row of its record."""
    opening = checked({"position": row.opening_position, "moves": row.opening_moves}, Opening)
    opening = replace(opening, name=checked(row.opening_name or "", str) or msgspec.UNSET)
    stored = checked([getattr(row, name) for name in _Plies._fields], _Plies)
    try:
        plies = tuple(_plies(stored))
    except ValueError as error:
        raise InvalidRow(f"game {result.id}: {error}") from error
    return GameRecord(result, opening, plies, checked(row.final_position, str), *circumstances)


def _plies(stored: _Plies) -> Iterator[Ply]:
    arrays: tuple[Any, ...] = stored[:5]
    reports: tuple[Any, ...] = stored[5:]
    if reports.count(None) < len(reports):
        nothing = ([None] * len(stored.moves),) * 4 + ([""] * len(stored.moves),) * 2
        known = (empty if column is None else column for column, empty in zip(reports, nothing, strict=True))
        arrays += (starmap(thought, zip(*known, strict=True)),)
    return starmap(Ply, zip(*arrays, strict=True))


# Texts and engines.

_NUL: Final = "\N{SYMBOL FOR NULL}"
"""What is stored in place of a null character outside of arrays: no text of PostgreSQL can have one."""


def storable(text: str) -> str:
    """Replace null characters."""
    return text.replace("\0", _NUL)


def as_stored(record: GameRecord, number: int) -> GameRecord:
    """Return a game as it is read again after it was stored under a number, to the last byte of its line."""
    result, opening = record.result, record.opening
    players = tuple(
        replace(
            player,
            **_storable_texts(player),
            points=player.points + 0.0,  # SQLite has no negative zero
            options=None if player.options is None else dict(sorted(player.options.items())),
        )
        for player in result.players
    )
    return replace(
        record,
        **_storable_texts(record),
        result=replace(result, **_storable_texts(result), id=number, players=players),
        opening=replace(opening, **_storable_texts(opening)),
        started=record.started + 0.0,
    )


def _storable_texts(value: GameRecord | GameResult | Opening | PlayerRecord) -> dict[str, Any]:
    """Replace the null characters in all fields, but not in the name of a tournament, which finds its row."""
    texts = (
        (field.name, getattr(value, field.name)) for field in fields(value) if field.name != "tournament"
    )
    return {name: storable(text) for name, text in texts if isinstance(text, str) and "\0" in text}


def checksum(record: GameRecord) -> int:
    """Return the CRC-32 of the line that an export has for a stored game."""
    return crc32(export_line(record))


def options_text(options: Mapping[str, str] | None) -> str:
    """Return the value of `EngineRow.options`: an object of JSON, sorted by name; "" for unknown options."""
    return "" if options is None else json.dumps(options, ensure_ascii=False, sort_keys=True)


def options_from(text: str) -> dict[str, str] | None:
    """Return the options in `EngineRow.options`; None for unknown ones."""
    return decoded(text, dict[str, str]) if text else None


def engine_of(player: PlayerRecord) -> Engine:
    """Return the engine of a seat."""
    return player.name, player.version, player.program, options_text(player.options)


# Many games: values for bulk inserts, of games `as_stored`.


def game_values(record: GameRecord, tournament: int) -> dict[str, object]:
    """Return the columns of `GameRow`; ``tournament`` is the id of its tournament."""
    result = record.result
    return {
        "id": result.id,
        "tournament_id": tournament,
        "number": result.number,
        "key": result.key,
        "game": result.game,
        "termination": result.termination.value,
        "reason": result.reason,
        "detail": result.detail,
        "plies": result.plies,
        "opening": opening_text(record.opening),
        "started": record.started,
        "duration": record.duration,
        "worker": record.worker,
        "checksum": checksum(record),
    }


def player_values(record: GameRecord, engines: Mapping[Engine, int]) -> list[dict[str, object]]:
    """Return the columns of `PlayerRow` for each seat; ``engines`` has the ids of the engines."""
    return [
        {
            "game_id": record.result.id,
            "seat": seat,
            "engine_id": engines[engine_of(player)],
            "rank": player.rank,
            "points": player.points,
            "forfeit": None if player.forfeit is None else player.forfeit.value,
            "time_control": player.time_control,
            "margin": player.margin,
            "time_used": player.time_used,
        }
        for seat, player in enumerate(record.result.players)
    ]


def record_values(record: GameRecord) -> dict[str, object]:
    """Return the columns of `RecordRow`."""
    plies = record.record
    return {
        "game_id": record.result.id,
        "opening_position": record.opening.position,
        "opening_moves": list(record.opening.moves),
        "opening_name": record.opening.name or None,
        "moves": [ply.text for ply in plies],
        "seats": [ply.seat for ply in plies],
        "times": [ply.time for ply in plies],
        "scores": [ply.score for ply in plies],
        "depths": [ply.depth for ply in plies],
        "final_position": record.final_position,
        **_report_values(plies),
    }


_REPORTS: Final = _Plies._fields[5:]
_NO_THOUGHT: Final = Thought()


def _report_values(plies: Sequence[Ply]) -> dict[str, list[Any] | None]:
    """Return the columns of what engines thought; None where no engine reported such a value."""
    if all(ply.thought is None for ply in plies):
        return dict.fromkeys(_REPORTS)
    columns = zip(*(astuple(ply.thought or _NO_THOUGHT) for ply in plies), strict=True)
    return {
        name: None if _NOTHING.issuperset(column) else list(column)
        for name, column in zip(_REPORTS, columns, strict=True)
    }


_NOTHING: Final = frozenset({None, ""})


# Many games: values from queries.

RESULT_COLUMNS: Final = GAME.c[
    "id", "tournament_id", "number", "key", "game", "termination", "reason", "detail", "plies"
]
"""The columns of a game that `results` takes."""

CIRCUMSTANCES: Final = GAME.c["started", "duration", "worker"]
"""The other columns of a game that `game_record` takes."""

_NUMBER_ORDER: Final = itemgetter(2, 3, 0)  # number, key, id

PLAYER_COLUMNS: Final = PLAYER.c[
    "game_id", "engine_id", "rank", "points", "forfeit", "time_control", "margin", "time_used"
]
"""The columns of a seat that `players_by_game` takes."""

TERMINATIONS: Final = {word.value: word for word in Termination}
"""The ends of games by their words in a row."""

_FORFEITS: Final[Mapping[str | None, Termination | None]] = TERMINATIONS | {None: None}


@nothing_missing()
def players_by_game(
    rows: Iterable[Sequence[Any]], engines: Mapping[int, Engine]
) -> dict[int, tuple[PlayerRecord, ...]]:
    """Return the seats of many games, by the number of the game; the rows of a game must be in seat order."""
    seats: defaultdict[int, list[PlayerRecord]] = defaultdict(list)
    read = cache(options_from)
    for game, engine, rank, points, forfeit, control, margin, used in rows:
        name, version, program, text = engines[engine]
        cause, clock = _FORFEITS[forfeit], intern(control)
        seats[game].append(
            PlayerRecord(name, version, rank, points, cause, clock, margin, used, program, read(text))
        )
    return {game: tuple(players) for game, players in seats.items()}


@nothing_missing()
def results(
    rows: Iterable[Sequence[Any]],
    players: Mapping[int, tuple[PlayerRecord, ...]],
    tournaments: Mapping[int, str],
) -> list[GameResult]:
    """Return a result for each row, in schedule order; the oldest tournament comes first."""
    order = {number: place for place, number in enumerate(tournaments)}
    return [
        GameResult(
            number,
            tournaments[tournament],
            place,
            key,
            intern(game),
            TERMINATIONS[termination],
            intern(reason),
            detail,
            plies,
            players[number],
        )
        for number, tournament, place, key, game, termination, reason, detail, plies in sorted(
            rows, key=lambda row: (order.get(row[1], 0), *_NUMBER_ORDER(row))
        )
    ]


@nothing_missing()
def game_score(seats: Sequence[Any], names: Mapping[int, str]) -> GameScore:
    """Return the score of a game from engine id, rank, points and forfeit of each seat, one after the other.

    Values of seats that the game does not have are None.
    """
    columns = zip(seats[::4], seats[1::4], seats[2::4], seats[3::4], strict=True)
    return tuple(
        SeatScore(names[engine], rank, points, _FORFEITS[forfeit])
        for engine, rank, points, forfeit in columns
        if engine is not None
    )


# Tournaments and rating lists.

_OUTLINE: Final = "outline"
"""The key of `TournamentRow.settings` with the pairing plan, which may change."""

NOTES: Final = frozenset({"machines", "book"})
"""The keys of settings that are no keys of the file, and may change: the machines of all runs, and the names
of the files of openings. Values are separated by `SEPARATOR`."""

SEPARATOR: Final = " | "


def joined_settings(stored: Mapping[str, str], new: Mapping[str, str]) -> dict[str, str]:
    """Return all settings; a setting of `NOTES` has the stored values and then the new ones."""
    joined = {**stored, **new}
    for key in NOTES & stored.keys() & new.keys():
        values = [*stored[key].split(SEPARATOR), *new[key].split(SEPARATOR)]
        joined[key] = SEPARATOR.join(dict.fromkeys(values))
    return joined


def tournament_row(record: TournamentRecord) -> TournamentRow:
    """Return the row of a new tournament."""
    row = TournamentRow(name=record.name, created=record.created, settings={}, rated=True, remote=False)
    set_settings(row, record.settings, record.outline)
    return row


def set_settings(row: TournamentRow, settings: Mapping[str, str], outline: str) -> None:
    """Set the settings of a tournament's row, and the columns that follow from them."""
    row.settings = {**settings, _OUTLINE: outline}
    row.rated = settings.get("rated") != "no"
    row.remote = settings.get("rated") == REMOTE_LIST


def tournament_record(name: str, created: float, settings: object) -> TournamentRecord:
    """Return a tournament from the columns of its row."""
    texts = checked(settings, dict[str, str])
    outline = texts.pop(_OUTLINE, "")
    return checked(
        {"name": name, "created": created, "settings": texts, "outline": outline}, TournamentRecord
    )


def rating_list_record(game: str, settings: object) -> RatingListRecord:
    """Return the settings of a rating list from the columns of its row."""
    return checked({"game": game, "settings": settings}, RatingListRecord)
