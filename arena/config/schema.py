"""The keys of a tournament file and the types of their values."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from arena.config.source import Key, Source, nearest
from arena.errors import ConfigError

__all__ = [
    "AdjudicationTable",
    "DefaultsTable",
    "DrawTable",
    "EngineTable",
    "LimitsTable",
    "OpeningsTable",
    "ResignTable",
    "SprtTable",
    "TimeoutsTable",
    "TournamentTable",
    "understand",
]


class TimeoutsTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """``timeouts`` of an engine: seconds, as in `protocol.spec.Timeouts`."""

    handshake: float | None = None
    first_ready: float | None = None
    new_game: float | None = None
    ready: float | None = None
    write: float | None = None
    drain: float | None = None
    quit: float | None = None
    terminate: float | None = None


class LimitsTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """``limits`` of an engine, as in `protocol.spec.Limits`; texts for sizes such as ``512M``."""

    memory: int | str | None = None
    address_space: int | str | None = None
    processes: int | str | None = None
    file_size: int | str | None = None
    cpu: int | str | None = None
    core: int | str | None = None


class DefaultsTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """``[defaults]``: the keys that an engine may leave to all."""

    cwd: str | None = None
    env: dict[str, Any] | None = None
    options: dict[str, Any] | None = None
    dialect: str | None = None
    sync: str | None = None
    margin: int | None = None
    time_control: str | None = None
    timeouts: TimeoutsTable | None = None
    limits: LimitsTable | None = None
    sandbox: str | None = None
    readable: list[str] | None = None
    games: list[str] | None = None
    version: str | None = None


class EngineTable(DefaultsTable, forbid_unknown_fields=True, kw_only=True):
    """``[[engines]]``."""

    name: str
    command: str | list[str]


class OpeningsTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """``[openings]``."""

    kind: str | None = None
    entries: list[str] | None = msgspec.field(default=None, name="list")
    file: str | None = None
    plies: int | None = None
    seed: int | None = None
    order: str | None = None


class ResignTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """``[adjudication.resign]``."""

    score: int
    moves: int | None = None
    sides: str | None = None


class DrawTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """``[adjudication.draw]``."""

    score: int
    moves: int | None = None
    after: int | None = None


class AdjudicationTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """``[adjudication]``."""

    repetition: int | None = None
    plies: int | None = None
    max_time: int | None = None
    resign: ResignTable | None = None
    draw: DrawTable | None = None


class SprtTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """``[sprt]``."""

    elo0: float
    elo1: float
    alpha: float | None = None
    beta: float | None = None


class TournamentTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The whole file."""

    name: str | None = None
    database: str | None = None
    game: str | None = None
    games: list[str] | None = None
    format: str | None = None
    games_per_pairing: int | None = None
    seeds: list[str] | None = None
    rounds: int | None = None
    max_games: int | None = None
    time_control: str | None = None
    concurrency: int | None = None
    affinity: bool | None = None
    seed: int | None = None
    disabled: str | None = None
    setup: str | dict[str, str] | None = None
    log: str | None = None
    sprt: SprtTable | None = None
    openings: OpeningsTable = msgspec.field(default_factory=OpeningsTable)
    adjudication: AdjudicationTable = msgspec.field(default_factory=AdjudicationTable)
    defaults: DefaultsTable = msgspec.field(default_factory=DefaultsTable)
    engines: list[EngineTable] = msgspec.field(default_factory=list)


_TABLES: dict[tuple[str, ...], tuple[str, ...]] = {
    (): TournamentTable.__struct_encode_fields__,
    ("openings",): OpeningsTable.__struct_encode_fields__,
    ("adjudication",): AdjudicationTable.__struct_encode_fields__,
    ("adjudication", "draw"): DrawTable.__struct_encode_fields__,
    ("adjudication", "resign"): ResignTable.__struct_encode_fields__,
    ("defaults",): DefaultsTable.__struct_encode_fields__,
    ("defaults", "timeouts"): TimeoutsTable.__struct_encode_fields__,
    ("sprt",): SprtTable.__struct_encode_fields__,
    ("defaults", "limits"): LimitsTable.__struct_encode_fields__,
    ("engines",): EngineTable.__struct_encode_fields__,
    ("engines", "timeouts"): TimeoutsTable.__struct_encode_fields__,
    ("engines", "limits"): LimitsTable.__struct_encode_fields__,
}

_ELSEWHERE = {  # what other tournament managers call it
    "cmd": "command",
    "dir": "cwd",
    "event": "name",
    "maxmoves": "plies",
    "proto": "dialect",
    "tc": "time_control",
    "threads": "concurrency",
    "timemargin": "margin",
}

_TYPES = {
    "str": "a text in quotes",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "object": "a table",
    "array": "a list",
    "datetime": "a date",
    "date": "a date",
    "time": "a time of day",
}

_PLACE = re.compile(r"(?: - at `\$(?P<path>.*)`)?$", re.DOTALL)
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`$", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(.*)`$")
_WRONG = re.compile(r"Expected `(.*)`, got `(.*)`$")


def understand(source: Source) -> TournamentTable:
    """Put the file's values to their keys.

    Raises:
        ConfigError: a key that isn't known, one that is missing, a value of the wrong type.
    """
    try:
        return msgspec.convert(source.data, TournamentTable)
    except msgspec.ValidationError as error:
        raise _translate(source, str(error)) from None


def _translate(source: Source, message: str) -> ConfigError:
    """Say in the user's words what msgspec found."""
    place = _PLACE.search(message)
    assert place is not None  # the pattern can be empty
    problem = message[: place.start()]
    key: Key = tuple(int(index) if index else name for name, index in _STEP.findall(place["path"] or ""))
    if unknown := _UNKNOWN.match(problem):
        return source.error((*key, unknown[1]), _unknown(unknown[1], key))
    if missing := _MISSING.match(problem):
        return source.error(key, f"the {missing[1]} is missing")
    if wrong := _WRONG.match(problem):
        if key == ("engines",):
            return source.error(key, "write [[engines]], in double brackets, above each engine")
        wanted = " or ".join(_TYPES.get(word, word) for word in wrong[1].split(" | ") if word != "null")
        return source.error(key, f"this must be {wanted}, not {_TYPES.get(wrong[2], wrong[2])}")
    return source.error(key, problem)


def _unknown(name: str, key: Key) -> str:
    table = tuple(part for part in key if isinstance(part, str))
    known = _TABLES[table]
    if _ELSEWHERE.get(name.lower()) in known:
        return f"there is no such key; did you mean {_ELSEWHERE[name.lower()]}?"
    homes = [_home(other) for other, names in _TABLES.items() if name in names]
    if homes:
        return f"this key does not belong here but {' or '.join(homes)}"
    hint = nearest(name, known, f"the keys here are {', '.join(known)}")
    return f"there is no such key; {hint}"


def _home(table: tuple[str, ...]) -> str:
    if not table:
        return "at the top of the file, before the first [table]"
    return "under [[engines]]" if table == ("engines",) else f"under [{'.'.join(table)}]"
