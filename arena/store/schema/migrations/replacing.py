"""Change tables: SQLite replaces a table by a new one with the same rows, PostgreSQL changes it."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

from arena.store.dialects import TEXT, WHOLE

__all__ = ["TEXT", "WHOLE", "add_column", "replaces_tables"]


def replaces_tables() -> bool:
    """Return whether this database replaces a table to change it."""
    return bool(op.get_bind().dialect.name == "sqlite")


def add_column(table: str, column: sa.Column[Any]) -> None:
    """Add a column behind the others."""
    if not replaces_tables():
        op.add_column(table, column)
        return
    with op.batch_alter_table(
        table, recreate="always"
    ) as batch:  # SQLite would add it behind the constraints
        batch.add_column(column)
