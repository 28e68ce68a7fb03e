"""Read a TOML file, find the lines of its values, describe values in messages, and write values."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

from arena.errors import ConfigError, check_is_file, explaining_unreadable, not_utf8
from protocol.keys import KeyPath
from protocol.words import cut, shortened

_NAME = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
_ENTRY = rf"\s*({_NAME}(?:\s*\.\s*{_NAME})*)\s*="
_HEADER = r"\s*(\[\[?)\s*([A-Za-z0-9_-]+(?:\s*\.\s*[A-Za-z0-9_-]+)*)\s*\]\]?\s*(?:#.*)?$"


_MAX_PROBLEM = 600  # characters of a message after the key


def _toml_advice(error: str) -> str:
    """Return what to do about an error that `tomllib` found; "" if its message is enough."""
    if error.startswith("Invalid value"):
        return "; a text needs quotes"
    twice = re.match(r"Cannot declare \('(\w+)',\) twice", error)
    return f"; if this is one of several, write [[{twice[1]}]] in double brackets" if twice else ""


@dataclass(frozen=True, slots=True)
class TomlFile:
    """A TOML file with its values."""

    path: Path  # as the user wrote it
    text: str
    data: dict[str, Any]
    origins: tuple[int, ...] = ()  # the number, in the text, of the table of each of the engines

    @property
    def folder(self) -> Path:
        """The folder of the file. Relative paths in the file start there."""
        return self.path.absolute().parent

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file, or raise a ConfigError if it cannot be read or is not TOML."""
        text = read_text(path, "a tournament file")
        try:
            return cls(path, text, tomllib.loads(text))
        except (ValueError, RecursionError) as error:  # Python limits digits and depth
            raise ConfigError(f"{path}: this is not TOML: {error}{_toml_advice(str(error))}") from None

    def error(self, place: KeyPath, problem: str) -> ConfigError:
        """Make an error about the value at a place, with file, line and key. The value need not exist."""
        place = self.origin(place)
        problem = shortened(problem, _MAX_PROBLEM)
        line = self.line(place)
        where = f"{self.path}, line {line}" if line else f"{self.path}"
        label = self._label(place)
        return ConfigError(f"{where}: {label}: {problem}" if label else f"{where}: {problem}")

    def origin(self, place: KeyPath) -> KeyPath:
        """The place where the file has an engine's value: under ``[defaults]``, or in its own table."""
        if place[:1] == ("engines",) and len(place) > 2 and not self.has(place):
            default = ("defaults", *place[2:])
            if self.has(default):
                return default
        return place

    def has(self, place: KeyPath) -> bool:
        """Whether the file has a value at a place."""
        value: Any = self.data
        for step in place:
            try:
                value = value[step]
            except (LookupError, TypeError):
                return False
        return True

    def line(self, place: KeyPath) -> int | None:
        """The line of a value, from 1, or of the nearest table around it; None if the file has neither."""
        lines, written = _lines(self.text), place
        if place[:1] == ("engines",) and len(place) > 1 and place[1] in range(len(self.origins)):
            written = ("engines", self.origins[int(place[1])], *place[2:])
        if written in lines:
            return lines[written]
        around = next((written[:end] for end in range(len(place) - 1, 0, -1) if written[:end] in lines), None)
        if around is None:
            return None
        start, last = lines[around], place[-1]
        if isinstance(last, int):
            return self.line(place[:-1])
        # The line does not start with this key. It may be in an inline table, which ends before the next key.
        end = min((line for line in lines.values() if line > start), default=len(self.text) + 1)
        for line, text in enumerate(self.text.splitlines()[start - 1 : end - 1], start):
            if re.search(rf"(?<![\w-])[\"']?{re.escape(last)}[\"']?\s*[=.]", text):
                return line
        return start

    def _label(self, place: KeyPath) -> str:
        """Describe a place for users: ``[[engines]] "alpha": command``."""
        if len(place) > 1 and place[0] == "engines" and isinstance(place[1], int):
            engine = self.data["engines"][place[1]]
            name = engine.get("name") if isinstance(engine, dict) else None
            named = cut(name) if isinstance(name, str) and name.isprintable() else ""
            label = f'[[engines]] "{named}"' if named else f"[[engines]] number {place[1] + 1}"
            return f"{label}: {_dotted(place[2:])}" if place[2:] else label
        if len(place) > 1 and isinstance(place[1], str):
            return f"[{_dotted(place[:1])}] {_dotted(place[1:])}"
        return _dotted(place)


def read_text(path: Path, wanted: str) -> str:
    """Read a text file in UTF-8, with or without a byte order mark; ConfigError if it is not ``wanted``."""
    with explaining_unreadable(path):
        check_is_file(path)
        data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise not_utf8(path, data, data.count(b"\n", 0, error.start) + 1, wanted) from None
    if "\0" in text:
        raise not_utf8(path, data, 1, wanted)
    return text


@lru_cache(maxsize=1)
def _lines(text: str) -> dict[KeyPath, int]:
    """The first line, from 1, of every table and of every key at the start of a line."""
    lines: dict[KeyPath, int] = {}
    table: KeyPath = ()
    tables: dict[KeyPath, int] = {}  # the index of the last table in each array of tables
    for line, content in enumerate(text.splitlines(), 1):
        if header := re.match(_HEADER, content):
            names = tuple(part.strip() for part in header[2].split("."))
            if header[1] == "[[":
                tables[names] = tables.get(names, -1) + 1
            table = place = _numbered(names, tables)
        elif entry := re.match(_ENTRY, content):
            place = (*table, *(part.strip("\"'") for part in re.findall(_NAME, entry[1])))
        else:
            continue
        for end in range(1, len(place) + 1):
            lines.setdefault(place[:end], line)
    return lines


def _numbered(names: tuple[str, ...], tables: dict[KeyPath, int]) -> KeyPath:
    """The place of a table: after the name of an array of tables comes the index of its last table."""
    place: list[str | int] = []
    for end, name in enumerate(names, 1):
        place.append(name)
        if names[:end] in tables:
            place.append(tables[names[:end]])
    return tuple(place)


def _dotted(place: KeyPath) -> str:
    """Join names by dots. An element of a list is shown by its number, from 1."""
    text = ""
    for index, step in enumerate(place, 1):
        if isinstance(step, int):
            text += f", item {step + 1}" if index == len(place) else f"[{step + 1}]"
        else:
            name = cut(step)
            text += ("." if text else "") + (name if name.isprintable() else ascii(name))
    return text


def toml_text(value: object) -> str:
    """Return a value as TOML writes it."""
    if isinstance(value, dict):
        return (
            f"{{ {', '.join(f'{toml_text(name)} = {toml_text(inner)}' for name, inner in value.items())} }}"
        )
    if isinstance(value, list):
        return f"[{', '.join(map(toml_text, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
