"""Holds a tournament file to the declarations of its keys, by pydantic, and puts what is wrong into words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from arena.config.key import DeclaredKey, KeyTable
from arena.config.key_types import Reading
from arena.config.toml_file import KeyPath, TomlFile, did_you_mean, either, kind_of, quoted
from arena.config.tournament_keys import TournamentFile

__all__ = ["read_keys", "tables"]

_WANTED: Final = {
    "bool_type": "true or false",
    "dataclass_type": "a table",
    "dict_type": "a table",
    "float_type": "a number",
    "int_type": "a whole number",
    "string_type": "a text in quotes",
    "tuple_type": "a list",
}
"""What a value must be, by pydantic's name of the error."""

_OUT_OF_BOUNDS: Final = (
    "finite_number",
    "greater_than",
    "greater_than_equal",
    "less_than",
    "less_than_equal",
)


def read_keys(file: TomlFile, *, look: bool = True) -> TournamentFile:
    """Judge each value of a file by itself, and whether it goes with the others of its table.

    Args:
        file: the file.
        look: whether the games, files and folders that it names must be there.

    Raises:
        ConfigError: a key that does not exist, or else the first value that is wrong or missing.
    """
    reading = Reading(file.folder, look)
    try:
        keys = TournamentFile.reader().validate_python(_with_defaults(file.data), context=reading)
    except ValidationError as caught:
        errors = {file.origin(_place(error)): error for error in reversed(caught.errors(include_url=False))}
        place = min(errors, key=lambda place: (errors[place]["type"] == "missing", file.line(place) or 0))
        raise file.error(*_explained(place, errors[place])) from None
    for place, problem in _misplaced(file, keys):
        raise file.error(place, problem)
    return keys


def _with_defaults(data: dict[str, Any]) -> dict[str, Any]:
    """The file with ``[defaults]`` filled in for every engine; tables in it are merged."""
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
    """Where pydantic found an error; that of a name in a table of options is the option's."""
    return tuple(step for step in error["loc"] if step != "[key]")


def _explained(place: KeyPath, error: ErrorDetails) -> tuple[KeyPath, str]:
    """The place to name for an error, and the sentence about it."""
    kind, value = error["type"], error["input"]
    if kind == "missing":
        return place[:-1], f"the {place[-1]} is missing"
    if kind == "unexpected_keyword_argument":
        return place, _unknown_key(place)
    if kind == "value_error":
        return place, str(error["ctx"]["error"])
    if place == ("engines",):
        return place, "write [[engines]], in double brackets, above each engine"
    if kind == "literal_error":
        words = _declared(place).words
        problem = f"this must be {either(words)}, not {quoted(value)}"
        return place, problem + (did_you_mean(value, words) if isinstance(value, str) else "")
    if kind in _OUT_OF_BOUNDS:
        return place, f"this must be {_declared(place).bounds}, not {quoted(value)}"
    wanted = _WANTED.get(kind)
    return place, f"this must be {wanted}, not {kind_of(value)}" if wanted else error["msg"]


def _declared(place: KeyPath) -> DeclaredKey:
    """The declaration of the key at a place, or of the key whose value contains it."""
    first, *others = [step for step in place if isinstance(step, str)]
    declared = TournamentFile.declarations()[first]
    for name in others:
        if declared.table is not None:
            declared = declared.table.declarations()[name]
    return declared


def _unknown_key(place: KeyPath) -> str:
    *around, name = [step for step in place if isinstance(step, str)]
    known = dict(tables())[tuple(around)].declarations()
    elsewhere = [key for key, declared in known.items() if name.lower() in declared.key.elsewhere]
    if elsewhere:
        return f"there is no such key; did you mean {elsewhere[0]}?"
    homes = [_home(names) for names, table in tables() if name in table.declarations()]
    if homes:
        return f"this key does not belong here but {' or '.join(homes)}"
    return "there is no such key" + (did_you_mean(name, known) or f"; the keys here are {', '.join(known)}")


def tables(
    names: tuple[str, ...] = (), table: type[KeyTable] = TournamentFile
) -> Iterator[tuple[tuple[str, ...], type[KeyTable]]]:
    """All tables of a file, each with the keys that lead to it."""
    yield names, table
    for name, declared in table.declarations().items():
        if declared.table is not None:
            yield from tables((*names, name), declared.table)


def _home(names: tuple[str, ...]) -> str:
    if not names:
        return "at the top of the file, before the first [table]"
    return "under [[engines]]" if names == ("engines",) else f"under [{'.'.join(names)}]"


def _misplaced(file: TomlFile, table: KeyTable, around: KeyPath = ()) -> Iterator[tuple[KeyPath, str]]:
    """The keys in the file that do not go with another key of their table, and what to say of them."""
    for name, declared in table.declarations().items():
        only, value, place = declared.key.only, getattr(table, name), (*around, name)
        if only is not None and file.has(place) and getattr(table, only[0]) not in only[1]:
            other, choice = only
            problem = (
                f'this goes with {other} = {either(choice)}, not with {other} = "{getattr(table, other)}"'
            )
            yield place, problem
        if isinstance(value, KeyTable):
            yield from _misplaced(file, value, place)
