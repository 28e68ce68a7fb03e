"""JSON schemas of tournament files and of engine.toml, by which editors complete and check them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING
from typing import Any, Final, get_origin

from arena.config.tournament_keys import TournamentFile
from arena.formats.format import built_in_formats
from protocol.keys import OFF, DeclaredKey, DocumentedValue, KeyTable, OrOff, OrUnlimited

Schema = dict[str, Any]

_DIALECT: Final = "http://json-schema.org/draft-07/schema#"  # the newest that taplo knows
_LINK: Final = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_TYPES: Final[Mapping[Any, str]] = {bool: "boolean", int: "integer", float: "number", str: "string"}
_TEXTS: Final[Schema] = {"type": ["string", "array"], "items": {"type": "string"}}


def engine_file() -> Schema:
    """Return the schema of an engine.toml, which tells the door how to build and start an engine."""
    properties = {
        "command": {"description": "What starts the engine in its folder.", **_TEXTS},
        "build": {"description": "Shell commands that make the program.", **_TEXTS},
        "language": {"description": "The language, where only some are allowed.", "type": "string"},
    }
    return {
        "$schema": _DIALECT,
        "title": "engine.toml",
        "type": "object",
        "properties": properties,
        "required": ["command"],
        "additionalProperties": False,
    }


def tournament_file() -> Schema:
    """Return the schema of a tournament file, with the keys of all formats that are built in."""
    schema = _table(TournamentFile)
    for form in built_in_formats():
        for name, declared in form.keys.declarations().items():
            schema["properties"].setdefault(name, _value(declared))
    schema["properties"]["format"]["enum"] = [form.name for form in built_in_formats()]
    return {"$schema": _DIALECT, "title": "tournament file", **schema}


def _table(table: type[KeyTable]) -> Schema:
    """Return the schema of a table. An engine needs no name if it has a ``glob``."""
    keys = table.declarations()
    required = [name for name, declared in keys.items() if declared.default is MISSING and "glob" not in keys]
    return {
        "type": "object",
        "properties": {name: _value(declared) for name, declared in keys.items()},
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def _value(declared: DeclaredKey) -> Schema:
    """Return what a key takes. A value that only arena can check, such as a time control, may be any."""
    schema: Schema = {"description": _LINK.sub(r"\1", declared.key.sentence)}
    if declared.table is not None:
        table = _table(declared.table)
        if declared.table in declared.types:
            return schema | table
        if any(get_origin(kind) is dict for kind in declared.types):
            return schema | {"type": "object", "additionalProperties": table}
        return schema | {"type": "array", "items": table}
    bounds = declared.bounds
    if bounds is not None:
        least = OFF if isinstance(bounds, OrOff) else bounds.least
        kind = "number" if float in declared.types else "integer"
        lower = "exclusiveMinimum" if bounds.open else "minimum"
        number = {"type": kind, lower: least, "maximum": bounds.most}
        size = {"type": "string"}  # "none", or 1G
        return schema | ({"anyOf": [number, size]} if isinstance(bounds, OrUnlimited) else number)
    if declared.choices:
        return schema | {"enum": list(declared.choices)}
    if not any(isinstance(detail, DocumentedValue) for detail in declared.details):
        kinds = [_TYPES[kind] for kind in declared.types if kind in _TYPES]
        schema |= {"type": kinds[0]} if kinds else {}
    return schema


SCHEMAS: Final[Mapping[str, Callable[[], Schema]]] = {
    "tournament.schema.json": tournament_file,
    "engine.schema.json": engine_file,
}
"""The schemas by the names of their files."""
