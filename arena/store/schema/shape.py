"""The tables and columns that a database must have."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from arena.store.door_rows import LINE, PARTICIPANT, SUBMISSION
from arena.store.file.connection import connect
from arena.store.rows import metadata
from arena.store.schema.migrations import HEAD

__all__ = ["OWN_TABLES", "columns", "later_part_of", "missing_part", "missing_part_of"]

OWN_TABLES: Final = frozenset(metadata.tables) - {LINE.name, PARTICIPANT.name, SUBMISSION.name}
"""The tables with games, without those of the door: a database of an older arena has most of them, too."""

_SINCE: Final = {
    "engine.program": "0002",
    "engine.options": "0004",
    "game.worker": "0005",
    "game.scale": "0005",
    "rating_list": "0002",
    "checkpoint": "0002",
    "checksum": "0003",
    "result_sum": "0003",
    "door_participant": "0006",
    "door_submission": "0006",
    "door_line": "0006",
    "door_participant.checksum": "0007",
    "door_submission.checksum": "0007",
    "door_line.checksum": "0007",
}
"""The schema that added a table or a column, if it was not the first one."""

_COLUMNS: Final = """
    SELECT sqlite_master.name, info.name FROM sqlite_master, pragma_table_info(sqlite_master.name) AS info
    WHERE sqlite_master.type = 'table'
"""


def columns(connection: sqlite3.Connection) -> dict[str, set[str]]:
    """Return the columns of each table of the file.

    Raises:
        sqlite3.Error: the file has a fault.
    """
    found: dict[str, set[str]] = {}
    for table, column in connection.execute(_COLUMNS):
        found.setdefault(str(table), set()).add(str(column))
    return found


def missing_part_of(found: dict[str, set[str]], revision: str = HEAD) -> str:
    """Return the first table or column of `arena.store.rows` that is missing; "" if all are there.

    Args:
        found: the columns of each table of a database.
        revision: the number of its schema; what later schemas have is not missing.
    """
    for name, table in metadata.tables.items():
        if name not in found:
            if _SINCE.get(name, "") <= revision:
                return f"table {name}"
            continue
        for column in table.columns:
            since = max(_SINCE.get(part, "") for part in (name, f"{name}.{column.name}", column.name))
            if column.name not in found[name] and since <= revision:
                return f"column {name}.{column.name}"
    return ""


def later_part_of(found: dict[str, set[str]], revision: str) -> str:
    """Return a table or column that only a later schema has; "" if there is none."""
    for name, since in _SINCE.items():
        if since <= revision:
            continue
        table, _, column = name.rpartition(".")
        if column in found or any(column in found[other] for other in found if table in {"", other}):
            return name
    return ""


def missing_part(path: Path) -> str:
    """Return the result of `missing_part_of` for a file; "" if it cannot be read."""
    try:
        with closing(connect(path, "ro")) as connection:
            return missing_part_of(columns(connection))
    except (sqlite3.Error, UnicodeDecodeError):
        return ""
