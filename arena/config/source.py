"""A tournament file as text: read, and searched for the line that a key stands in."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Self

from arena.errors import ConfigError

__all__ = ["Key", "Source", "nearest", "read_text"]

Key = tuple[str | int, ...]
"""Where a value stands: ``("engines", 2, "command")`` is the third engine's command."""

_NAME = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
_ENTRY = re.compile(rf"\s*({_NAME}(?:\s*\.\s*{_NAME})*)\s*=")
_HEADER = re.compile(r"\s*(\[\[?)\s*([A-Za-z0-9_-]+(?:\s*\.\s*[A-Za-z0-9_-]+)*)\s*\]\]?\s*(?:#.*)?$")
_POSITION = re.compile(r"\s*\(at line (\d+), column (\d+)\)$")


@dataclass(frozen=True, slots=True)
class Source:
    """One file, parsed but not yet understood.

    Attributes:
        path: as the user named it.
        text: its contents.
        data: what TOML makes of them.
    """

    path: Path
    text: str
    data: dict[str, Any]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file.

        Raises:
            ConfigError: it cannot be read, or is no TOML.
        """
        text = read_text(path)
        try:
            return cls(path, text, tomllib.loads(text))
        except tomllib.TOMLDecodeError as error:
            problem = str(error)
            place = _POSITION.search(problem)
            where = f"{path}, line {place[1]}, column {place[2]}" if place else f"{path}"
            raise ConfigError(f"{where}: this is not TOML: {_POSITION.sub('', problem)}") from None
        except RecursionError:
            raise ConfigError(f"{path}: this is nested too deeply for a tournament file") from None

    def error(self, key: Key, problem: str, *, item: int | None = None) -> ConfigError:
        """What to raise for the value at ``key``; with ``item`` for that element of a list."""
        line = self.line(key)
        if line is not None and item is not None:
            line = self._line_of_item(key, item, line)
        where = f"{self.path}, line {line}" if line else f"{self.path}"
        label = self._label(key)
        return ConfigError(f"{where}: {label}: {problem}" if label else f"{where}: {problem}")

    def line(self, key: Key) -> int | None:
        """The line of a key, from 1, or of the nearest thing around it; None for one that is nowhere."""
        best, start = 0, None
        places = _places(self.text)
        for place, line in places:
            if place[: len(key)] == key:
                return line
            if key[: len(place)] == place and len(place) > best:
                best, start = len(place), line
        if start is None:
            return None
        # Not a line of its own: in an inline table, perhaps, which ends before the next place.
        end = min((line for _, line in places if line > start), default=len(self.text) + 1)
        for line, text in enumerate(self.text.splitlines()[start - 1 : end - 1], start):
            if re.search(rf"(?<![\w-])[\"']?{re.escape(str(key[-1]))}[\"']?\s*[=.]", text):
                return line
        return start

    def _line_of_item(self, key: Key, item: int, line: int) -> int:
        """The line of an element of a list of texts, which need not be the list's."""
        value: Any = self.data
        for name in key:
            value = value[name]
        place = sum(len(text) for text in self.text.splitlines(keepends=True)[: line - 1])
        for element in value[: item + 1]:
            found = re.compile(rf"([\"']){re.escape(str(element))}\1").search(self.text, place)
            if not found:  # written with escapes
                return line
            place = found.end()
        return self.text.count("\n", 0, place) + 1

    def _label(self, key: Key) -> str:
        """A key as people write it: ``[[engines]] "alpha": command``."""
        if len(key) > 1 and key[0] == "engines" and isinstance(key[1], int):
            engine = self.data["engines"][key[1]]
            name = engine.get("name") if isinstance(engine, dict) else None
            who = (
                f'"{name}"'
                if isinstance(name, str) and name and name.isprintable()
                else f"number {key[1] + 1}"
            )
            rest = _dotted(key[2:])
            return f"[[engines]] {who}: {rest}" if rest else f"[[engines]] {who}"
        if len(key) > 1:
            return f"[{key[0]}] {_dotted(key[1:])}"
        return _dotted(key)


def read_text(path: Path) -> str:
    """The text of a file, without a byte order mark.

    Raises:
        ConfigError: there is no such file, it may not be read, or it is not UTF-8.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise ConfigError(f"{path}: this is a folder; name a file in it") from None
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"{path}: this cannot be read: {getattr(error, 'strerror', None) or error}"
        ) from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}, line {line}: this is not UTF-8; save the file as UTF-8") from None


def nearest(word: str, known: Sequence[str], default: str = "") -> str:
    """The end of a message about a word that isn't known; ``default`` when nothing resembles it."""
    lower = {name.lower(): name for name in known}
    near = get_close_matches(word.lower().replace("-", "_"), lower, n=1) or get_close_matches(
        word.lower(), lower, n=1
    )
    return f"did you mean {lower[near[0]]}?" if near else default


def _places(text: str) -> list[tuple[Key, int]]:
    """Every table header and every key at the beginning of a line, with its line."""
    places: list[tuple[Key, int]] = []
    table: Key = ()
    tables: dict[Key, int] = {}  # how many of each array of tables have begun
    for line, content in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(content):
            names = tuple(part.strip() for part in header[2].split("."))
            if header[1] == "[[":
                tables[names] = tables.get(names, -1) + 1
            table = _indexed(names, tables)
            places.append((table, line))
        elif entry := _ENTRY.match(content):
            names = tuple(part.strip("\"'") for part in re.findall(_NAME, entry[1]))
            places.append(((*table, *names), line))
    return places


def _indexed(names: tuple[str, ...], tables: dict[Key, int]) -> Key:
    """A header's names, each that is an array of tables followed by the number of its last one."""
    key: list[str | int] = []
    for length, name in enumerate(names, 1):
        key.append(name)
        if names[:length] in tables:
            key.append(tables[names[:length]])
    return tuple(key)


def _dotted(key: Key) -> str:
    text = ""
    for part in key:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text
