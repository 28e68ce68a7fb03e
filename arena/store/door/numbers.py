"""Numbers of new rows of the door."""

from __future__ import annotations

from sqlalchemy import Table, func, select
from sqlmodel import Session

__all__ = ["next_number"]


def next_number(session: Session, table: Table) -> int:
    """Return the next free number; a sequence of the server does not know the rows of a copy."""
    number: int = (
        session.connection().execute(select(func.coalesce(func.max(table.c.id), 0) + 1)).scalar_one()
    )
    return number
