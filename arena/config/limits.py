"""``limits``, ``sandbox`` and ``readable`` of an engine: what it may use and see."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from arena.config.schema import LimitsTable
from arena.config.source import Key, Source
from arena.config.values import resolve
from protocol.spec import Limits

__all__ = ["SANDBOXES", "read_limits", "read_readable", "seen_by_python"]

SANDBOXES: Final = ("none", "folder", "bwrap")
"""The values of ``sandbox``."""

_BYTES: Final = ("memory", "address_space", "file_size", "core")
_SIZE: Final = re.compile(r"(\d+) ?([KMG]?)")
_UNITS: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_OFF: Final = "none"


def read_limits(source: Source, tables: Iterable[tuple[LimitsTable, Key]]) -> Limits:
    """The limits that the tables set, later ones over earlier ones.

    Raises:
        ConfigError: a value that is none; the message has the accepted forms.
    """
    given: dict[str, int | None] = {}
    for table, key in tables:
        for name in table.__struct_fields__:
            value = getattr(table, name)
            if value is not None:
                given[name] = _amount(source, (*key, name), value)
    return Limits(**given)


def _amount(source: Source, key: Key, value: int | str) -> int | None:
    name = key[-1]
    if value == _OFF:
        return None
    match = _SIZE.fullmatch(str(value))
    if match is None or (match[2] and name not in _BYTES):
        example = '"512M" (K, M or G), or a number of bytes' if name in _BYTES else "a whole number"
        raise source.error(key, f'this must be {example}, or "none" for no limit, not {value!r}')
    amount = int(match[1]) * _UNITS[match[2]]
    if amount == 0 and name != "core":
        raise source.error(key, 'this must be more than 0, or "none" for no limit')
    return amount


def read_readable(source: Source, key: Key, paths: list[str]) -> tuple[str, ...]:
    """Folders and files that an engine under bubblewrap is to see.

    Raises:
        ConfigError: one that is not there.
    """
    found = []
    for item, text in enumerate(paths):
        path = resolve(source, key, text)
        if not path.exists():
            raise source.error(key, f"there is no file or folder {path}", item=item)
        found.append(str(path))
    return tuple(found)


def seen_by_python() -> tuple[str, ...]:
    """What the interpreter that runs arena needs to see: itself, its packages, and ours if they are apart."""
    import arena
    import protocol
    import referee

    packages = [str(Path(package.__path__[0]).absolute()) for package in (arena, protocol, referee)]
    roots = (sys.prefix, sys.base_prefix)
    return (*roots, *(path for path in packages if not path.startswith(f"{sys.prefix}/")))
