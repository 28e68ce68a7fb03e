"""The tables of the door. `arena.door.register` reads and changes them; here they are copied as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from sqlalchemy import JSON, Column, Float, ForeignKey, Table, UniqueConstraint, delete, insert, select
from sqlalchemy.exc import IntegrityError

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

REQUEST: Final = Table(
    "door_request",
    metadata,
    Column("id", WHOLE, primary_key=True),
    Column("participant_id", WHOLE, ForeignKey("door_participant.id"), nullable=False),
    Column("state", TEXT, nullable=False),  # waits, plays or ended
    Column("game", TEXT, nullable=False),
    Column("seats", JSON, nullable=False),  # the names of the engines in the first game
    Column("attempts", WHOLE, nullable=False),  # how often its games were begun
    Column("problem", TEXT, nullable=False),  # why they were not all played; "" if they were
    Column("created", Float, nullable=False),
)

TABLES: Final = (PARTICIPANT, SUBMISSION, LINE, REQUEST)
"""A table comes after those to which its rows refer."""

DoorRow = tuple[Table, Mapping[str, Any]]
"""A table and the values of one of its rows, by column."""

_BATCH: Final = 500  # the most rows in memory


class DoorTables:
    """Reads and writes the rows of the doors of all tournaments."""

    __slots__ = ("_database",)

    def __init__(self, database: Database) -> None:
        self._database = database

    def rows(self) -> Iterator[DoorRow]:
        """Yield all rows, table by table, as they are at one moment. Null characters are replaced."""
        with self._database.reading() as session:
            for table in TABLES:
                query = select(table).order_by(table.c.id).execution_options(yield_per=_BATCH)
                for row in session.connection().execute(query).mappings():
                    texts = {name: storable(value) for name, value in row.items() if isinstance(value, str)}
                    yield table, {**row, **texts}

    def replace(self, rows: Iterable[DoorRow], refused: list[str] | None = None) -> None:
        """Store these rows, in the order of `TABLES`, instead of all that are stored, in one transaction.

        Rows that contradict earlier ones are left out and named in ``refused``; without it, nothing is stored
        then.
        """
        with self._database.writing() as session:
            connection = session.connection()
            for table in reversed(TABLES):
                connection.execute(delete(table))
            for table, values in rows:
                try:
                    with connection.begin_nested():
                        connection.execute(insert(table).values(values))
                except IntegrityError as error:
                    if refused is None:
                        raise
                    refused.append(f"{name_of(table, values)} is lost: {error.orig}")


def name_of(table: Table, values: Mapping[str, Any]) -> str:
    """Return the name of a row in messages."""
    return f"{table.name.replace('_', ' ')} {values['id']!a}"
