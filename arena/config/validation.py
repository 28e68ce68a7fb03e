"""Validate a tournament file with pydantic by the declarations of its keys; explain errors in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from arena.config.toml_file import TomlFile
from arena.config.tournament_keys import EngineTable, TournamentFile
from arena.errors import ConfigError
from arena.formats.format import USUAL, Format, built_in_formats, find_format
from protocol.keys import DeclaredKey, KeyPath, KeyTable, WrongKey, either, kind_of, quoted
from protocol.words import did_you_mean

_WANTED: Final = {
    "bool_type": "true or false",
    "dataclass_type": "a table",
    "dict_type": "a table",
    "float_type": "a number",
    "int_type": "a whole number",
    "string_type": "a text in quotes",
    "tuple_type": "a list",
}  # by pydantic's name of the error

_OUT_OF_BOUNDS: Final = (
    "finite_number",
    "greater_than",
    "greater_than_equal",
    "less_than",
    "less_than_equal",
)


def read_keys(file: TomlFile) -> tuple[TournamentFile, KeyTable]:
    """Check each value of a file. Return the keys that all formats have, and the keys of the file's format.

    A ConfigError is about the first error in the file; missing keys come last.
    """
    format_table = format_of(file).keys
    values = {key: value for key, value in file.data.items() if key in format_table.declarations()}
    others = {key: value for key, value in _with_defaults(file.data).items() if key not in values}
    read: list[KeyTable] = []
    errors: dict[KeyPath, ErrorDetails] = {}
    for table, data in ((TournamentFile, others), (format_table, values)):
        try:
            read.append(table.reader().validate_python(data, context=file.folder))
        except ValidationError as failure:
            for error in reversed(failure.errors(include_url=False)):
                errors[file.origin(_place(error))] = error
    if errors:
        place = min(errors, key=lambda place: (errors[place]["type"] == "missing", file.line(place) or 0))
        raise file.error(*_explained(place, errors[place], format_of(file)))
    keys, format_keys = read
    assert isinstance(keys, TournamentFile)
    for place, problem in chain(_misplaced(file, keys), _misplaced(file, format_keys)):
        raise file.error(place, problem)
    return keys, format_keys


def format_of(file: TomlFile) -> Format[Any]:
    """The format that a file names; the usual one if it names none, or one that does not exist."""
    name = file.data.get("format", USUAL)
    try:
        return find_format(name if isinstance(name, str) else USUAL)
    except ConfigError:
        return find_format(USUAL)


def read_engine(values: Mapping[str, Any], folder: Path) -> EngineTable:
    """Check the keys of one engine that do not come from a file, or raise a WrongKey."""
    try:
        return EngineTable.reader().validate_python(dict(values), context=folder)
    except ValidationError as failure:
        error = failure.errors(include_url=False)[0]
        place, problem = _explained(("engines", *_place(error)), error, find_format(USUAL))
        raise WrongKey(place[1:], problem) from None


def _with_defaults(data: dict[str, Any]) -> dict[str, Any]:
    """Fill in the values of ``[defaults]`` for every engine. A table is merged with the engine's own one."""
    defaults, engines = data.get("defaults"), data.get("engines")
    if not isinstance(defaults, dict) or not isinstance(engines, list):
        return data
    return data | {"engines": [_merged(defaults, engine) for engine in engines]}


def _merged(defaults: dict[str, Any], engine: object) -> object:
    if not isinstance(engine, dict):
        return engine
    tables = {
        name: value | engine[name]
        for name, value in defaults.items()
        if isinstance(value, dict) and isinstance(engine.get(name), dict)
    }
    return defaults | engine | tables


def _place(error: ErrorDetails) -> KeyPath:
    """The place of an error. For an error in the name of an option, it is the place of the option."""
    return tuple(step for step in error["loc"] if step != "[key]")


def _explained(place: KeyPath, error: ErrorDetails, form: Format[Any]) -> tuple[KeyPath, str]:
    """The place and the message for an error in the file of a tournament with a format."""
    kind, value = error["type"], error["input"]
    if kind == "missing":
        return place[:-1], f"the {place[-1]} is missing"
    if kind == "unexpected_keyword_argument":
        return place, _unknown_key(place, form)
    if kind == "value_error":
        return place, str(error["ctx"]["error"])
    if place in (("engines",), ("stages",)):
        return place, f"write [[{place[0]}]], in double brackets, above each {place[0][:-1]}"
    if kind == "literal_error":
        choices = _declared(place, form).choices
        problem = f"this must be {either(choices)}, not {quoted(value)}"
        return place, problem + (did_you_mean(value, choices) if isinstance(value, str) else "")
    if kind in _OUT_OF_BOUNDS:
        return place, f"this must be {_declared(place, form).bounds}, not {quoted(value)}"
    wanted = _WANTED.get(kind)
    return place, f"this must be {wanted}, not {kind_of(value)}" if wanted else error["msg"]


def _declared(place: KeyPath, form: Format[Any]) -> DeclaredKey:
    """The declaration of the key at a place, or of the key whose value contains the place."""
    first, *rest = [step for step in place if isinstance(step, str)]
    format_table: type[KeyTable] = form.keys
    declared = (TournamentFile.declarations() | format_table.declarations())[first]
    for name in rest:
        if declared.table is not None:
            declared = declared.table.declarations().get(name, declared)  # else it names one of the tables
    return declared


def _unknown_key(place: KeyPath, form: Format[Any]) -> str:
    *around, name = [step for step in place if isinstance(step, str)]
    # The last name may be the name of one of several tables.
    keys = _keys_at(tuple(around), form) or _keys_at(tuple(around[:-1]), form)
    elsewhere = [key for key, declared in keys.items() if name.lower() in declared.key.elsewhere]
    if elsewhere:
        return f"there is no such key; did you mean {elsewhere[0]}?"
    others = [other.name for other in built_in_formats() if name in other.keys.declarations()]
    if not around and others:
        homes = [_home(names) for names, table in tables(form) if name in table.declarations()]
        move = f"; or move it {' or '.join(homes)}" if homes else ""
        return f'this key is only for format = {either(others)}, but here format = "{form.name}"{move}'
    all_tables = dict(tables(form, *built_in_formats())) | dict(tables())
    homes = [_home(names) for names, table in all_tables.items() if name in table.declarations()]
    if homes:
        return f"this key is in the wrong place; move it {' or '.join(homes)}"
    return "there is no such key" + (did_you_mean(name, keys) or f"; the keys here are {', '.join(keys)}")


def _keys_at(place: tuple[str, ...], form: Format[Any]) -> dict[str, DeclaredKey]:
    at_place = (table.declarations() for names, table in tables(form) if names == place)
    return {name: declared for declarations in at_place for name, declared in declarations.items()}


def tables(*formats: Format[Any]) -> Iterator[tuple[tuple[str, ...], type[KeyTable]]]:
    """Yield all tables of a file, each with the keys that lead to it: first those that all formats have."""
    yield from _tables((), TournamentFile)
    for form in formats:
        yield from _tables((), form.keys)


def _tables(
    names: tuple[str, ...], table: type[KeyTable]
) -> Iterator[tuple[tuple[str, ...], type[KeyTable]]]:
    yield names, table
    for name, declared in table.declarations().items():
        if declared.table is not None:
            yield from _tables((*names, name), declared.table)


def _home(names: tuple[str, ...]) -> str:
    if not names:
        return "to the top of the file, before the first [table]"
    return f"to [[{names[0]}]]" if names in (("engines",), ("stages",)) else f"to [{'.'.join(names)}]"


def _misplaced(file: TomlFile, table: KeyTable, around: KeyPath = ()) -> Iterator[tuple[KeyPath, str]]:
    """Yield the place of each key that another key's value forbids, with the message about it."""
    for name, declared in table.declarations().items():
        only, value, place = declared.key.only, getattr(table, name), (*around, name)
        if only is not None and file.has(place) and getattr(table, only[0]) not in only[1]:
            other, allowed = only
            problem = (
                f"this key is only for {other} = {either(allowed)},"
                f' but here {other} = "{getattr(table, other)}"'
            )
            yield place, problem
        if isinstance(value, KeyTable):
            yield from _misplaced(file, value, place)
        for item, inner in enumerate(value if isinstance(value, tuple) else ()):
            if isinstance(inner, KeyTable):
                yield from _misplaced(file, inner, (*place, item))
