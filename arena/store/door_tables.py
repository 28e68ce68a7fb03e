"""The tables of the door. `arena.door.register` reads and changes them; here they are copied as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import JSON, Column, Float, ForeignKey, Table, UniqueConstraint, delete, insert, select

from arena.store.database import Database
from arena.store.mapping import storable
from arena.store.rows import TEXT, WHOLE, metadata

PARTICIPANT: Final = Table(
    "door_participant",
    metadata,
    Column("id", WHOLE, primary_key=True),
    Column("tournament", TEXT, nullable=False),
    Column("name", TEXT, nullable=False),
    Column("token", TEXT, nullable=False, unique=True),  # the hash of the token in the link
    Column("role", TEXT, nullable=False),  # guest or organiser
    Column("state", TEXT, nullable=False),  # open, paused or removed
    Column("created", Float, nullable=False),  # seconds since the epoch
    UniqueConstraint("tournament", "name"),
)

SUBMISSION: Final = Table(
    "door_submission",
    metadata,
    Column("id", WHOLE, primary_key=True),
    Column("participant_id", WHOLE, ForeignKey("door_participant.id"), nullable=False),
    Column("version", WHOLE, nullable=False),  # from 1, for each participant
    Column("digest", TEXT, nullable=False),  # names the file in the door's folder
    Column("filename", TEXT, nullable=False),
    Column("plan", JSON, nullable=False),  # how it is built and started
    Column("state", TEXT, nullable=False),
    Column("problem", TEXT, nullable=False),  # why it was refused; "" if it was not
    Column("attempts", WHOLE, nullable=False),  # how often a worker has begun with it
    Column("created", Float, nullable=False),
    Column("ended", Float),  # null until it is admitted or refused
    UniqueConstraint("participant_id", "version"),
)

LINE: Final = Table(
    "door_line",
    metadata,
    Column("id", WHOLE, primary_key=True),
    Column("tournament", TEXT, nullable=False),
    Column("submission_id", WHOLE, ForeignKey("door_submission.id"), index=True),  # null: a note to all
    Column("at", Float, nullable=False),
    Column("kind", TEXT, nullable=False),
    Column("text", TEXT, nullable=False),
)

TABLES: Final = (PARTICIPANT, SUBMISSION, LINE)
"""A table comes after those to which its rows refer."""

DoorRow = tuple[Table, Mapping[str, Any]]
"""A table and the values of one of its rows, by column."""

_BATCH: Final = 500
"""The most rows in one statement."""


class DoorTables:
    """Reads and writes the rows of the doors of all tournaments."""

    __slots__ = ("_database",)

    def __init__(self, database: Database) -> None:
        self._database = database

    def rows(self) -> Iterator[DoorRow]:
        """Yield all rows, table by table, as they are at one moment; memory holds a few hundred of them.

        Null characters, which a server refuses, are replaced.

        Raises:
            StoreError: the database has a fault.
        """
        with self._database.reading() as session:
            for table in TABLES:
                query = select(table).order_by(table.c.id).execution_options(yield_per=_BATCH)
                for row in session.connection().execute(query).mappings():
                    yield (
                        table,
                        {
                            name: storable(value) if isinstance(value, str) else value
                            for name, value in row.items()
                        },
                    )

    def replace(self, rows: Iterable[DoorRow]) -> None:
        """Store these rows, in the order of `TABLES`, instead of all that are stored, in one transaction.

        Raises:
            StoreError: two rows contradict each other, or the database has a fault. Nothing has changed.
        """
        with self._database.writing() as session:
            connection = session.connection()
            for table in reversed(TABLES):
                connection.execute(delete(table))
            for table, group in groupby(rows, key=itemgetter(0)):
                while batch := [values for _, values in islice(group, _BATCH)]:
                    connection.execute(insert(table), batch)


def sound_rows(rows: Iterable[DoorRow], lost: list[str]) -> Iterator[DoorRow]:
    """Yield the rows of a damaged database that can be stored again; of the others tell ``lost``."""
    seen: dict[tuple[str, ...], set[tuple[Any, ...]]] = {}
    for table, values in rows:
        reason = _fault(table, values) or _contradiction(table, values, seen)
        if reason:
            lost.append(f"{table.name.replace('_', ' ')} {values['id']!a} is lost: {reason}")
            continue
        for columns in _unique(table):
            seen.setdefault((table.name, *columns), set()).add(tuple(values[name] for name in columns))
        yield table, values


def _fault(table: Table, values: Mapping[str, Any]) -> str:
    """Return which value has the wrong type; "" if none has."""
    for column in table.columns:
        value = values[column.name]
        if value is None and column.nullable:
            continue
        kind: type = str
        if isinstance(column.type, JSON):
            kind = dict
        elif column.type.python_type in (int, float):
            kind = column.type.python_type
        if type(value) is not kind and not (isinstance(column.type, Float) and type(value) is int):
            return f"its {column.name} is damaged"
    return ""


def _contradiction(
    table: Table, values: Mapping[str, Any], seen: Mapping[tuple[str, ...], set[tuple[Any, ...]]]
) -> str:
    """Return how a row contradicts earlier ones; "" if it does not."""
    for columns in _unique(table):
        if tuple(values[name] for name in columns) in seen.get((table.name, *columns), ()):
            return f"there is another one with the same {' and '.join(columns)}"
    for column in table.columns:
        for key in column.foreign_keys:
            other = key.column.table.name
            value = values[column.name]
            if value is not None and (value,) not in seen.get((other, "id"), ()):
                return f"there is no {other.replace('_', ' ')} {value}"
    return ""


def _unique(table: Table) -> Iterator[tuple[str, ...]]:
    """Yield the columns whose values occur once together."""
    yield ("id",)
    yield from _UNIQUE[table.name]


_UNIQUE: Final = {
    PARTICIPANT.name: (("tournament", "name"), ("token",)),
    SUBMISSION.name: (("participant_id", "version"),),
    LINE.name: (),
}
