"""Check a database: its header, its pages, its tables, and the checksum of every row. Change nothing."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Final

from arena.errors import DamagedDatabase, StoreError
from arena.store.damage.door_rows import door_rows
from arena.store.damage.repair import open_unchanged
from arena.store.damage.salvage import Salvage
from arena.store.errors import UNREADABLE, damaged
from arena.store.file.schema import revision_of
from arena.store.schema.migrations import HEAD
from arena.store.values import Health

__all__ = ["check_file"]

_MOST: Final = 20
"""The most problems of pages that are listed."""


def check_file(path: Path) -> Health:
    """Read the whole database.

    Raises:
        StoreError: there is no database of arena, or the machine has a fault.
    """
    with open_unchanged(path) as connection:
        problems = [*_opening(path, connection), *_pages(connection)]
        salvage = Salvage(connection)
        games = sum(1 for _ in salvage.games())
        wrong = salvage.lost | salvage.without_moves | salvage.repaired
        door_rows(salvage)
        problems += [problem for problem in salvage.problems if problem not in problems]
    whole = games - len(salvage.without_moves) - len(salvage.repaired)
    return Health(whole, tuple(dict.fromkeys(problems)), dict(sorted(wrong.items())), salvage.verified)


def _opening(path: Path, connection: sqlite3.Connection) -> list[str]:
    """Return why other commands refuse the file.

    Raises:
        StoreError: it is not damaged, but no database of arena.
    """
    try:
        revision = revision_of(path, connection)
    except DamagedDatabase as error:
        return [_what(path, error)]
    if not revision:
        raise StoreError(f"{path}: the database is empty")
    return [] if revision.isdecimal() and len(revision) == len(HEAD) else [f"its schema is {revision[:20]!a}"]


def _what(path: Path, error: DamagedDatabase) -> str:
    """Return the middle of the message: what is damaged."""
    beginning, end = str(damaged(path, "\0")).split("\0")
    return str(error).removeprefix(beginning).removesuffix(end)


def _pages(connection: sqlite3.Connection) -> list[str]:
    with suppress(*UNREADABLE):
        found = [str(text) for (text,) in connection.execute(f"PRAGMA integrity_check({_MOST})")]
        return [] if found == ["ok"] else [" ".join(text.split()) for text in found]
    return ["SQLite cannot check its pages"]
