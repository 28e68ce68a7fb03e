"""Add and change rows of the door, with their checksums."""

from __future__ import annotations

import time
from typing import Any

from sqlalchemy import ColumnElement, Table, func, insert, select, update
from sqlmodel import Session

from arena.store.checksums import store_rows
from arena.store.door.rows import LINE
from arena.store.mapping.game_rows import storable

__all__ = ["add_line", "add_row", "change_rows"]


def add_row(session: Session, table: Table, **values: Any) -> int:  # noqa: ANN401 - the values of columns
    """Add a row; return its number."""
    connection = session.connection()
    # Not a sequence of the server, which does not know the rows of a copy.
    highest = select(func.coalesce(func.max(table.c.id), 0))
    number: int = connection.execute(highest).scalar_one() + 1
    connection.execute(insert(table).values(id=number, **values))
    store_rows(connection, table, table.c.id == number)
    return number


def change_rows(
    session: Session,
    table: Table,
    *conditions: ColumnElement[bool],
    **values: Any,  # noqa: ANN401 - as above
) -> int:
    """Change the rows that meet the conditions; return how many there are."""
    connection = session.connection()
    numbers = list(connection.execute(select(table.c.id).where(*conditions)).scalars())
    if numbers:
        these = table.c.id.in_(numbers)
        connection.execute(update(table).where(these).values(**values))
        store_rows(connection, table, these)
    return len(numbers)


def add_line(session: Session, tournament: str, kind: str, text: str, submission: int | None) -> None:
    """Add a line of a submission, or a note to all."""
    values = {"tournament": tournament, "submission_id": submission, "kind": kind, "text": storable(text)}
    add_row(session, LINE, at=time.time(), **values)
