"""Find values of a wrong type: SQLite stores a value of any type in any column."""

from __future__ import annotations

from typing import Final

from sqlalchemy import JSON, Column, Connection, Float, Integer, text

from arena.store.rows import metadata

__all__ = ["wrong_value"]

_MOST: Final = 1.7e308
"""The largest finite number, nearly."""


def wrong_value(connection: Connection) -> str:
    """Return the table and column of a value that arena never writes there; "" if there is none."""
    for table in metadata.sorted_tables:
        wrong = {column.name: f"NOT ({_right(column)})" for column in table.columns}
        row = connection.execute(
            text(
                f"SELECT {', '.join(wrong.values())} FROM {table.name}"
                f" WHERE {' OR '.join(wrong.values())} LIMIT 1"
            )
        ).first()
        if row is not None:
            column = next(name for name, value in zip(wrong, row, strict=True) if value)
            return f"in the column {table.name}.{column}"
    return ""


def _right(column: Column[object]) -> str:
    """Return the SQL condition that a value of the column has the right type."""
    if isinstance(column.type, Integer):
        right = f"typeof({column.name}) = 'integer'"
    elif isinstance(column.type, Float):
        right = f"typeof({column.name}) = 'real' AND abs({column.name}) < {_MOST}"
    elif isinstance(column.type, JSON):
        right = f"typeof({column.name}) = 'text' AND json_valid({column.name})"
    else:
        right = f"typeof({column.name}) = 'text'"
    return f"{column.name} IS NULL OR {right}" if column.nullable else right
