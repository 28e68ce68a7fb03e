"""The tables of the door, for SQLAlchemy's Core: most statements read or change parts of rows."""

from __future__ import annotations

from typing import Final

from sqlalchemy import JSON, Column, Float, ForeignKey, Table, UniqueConstraint

from arena.store.dialects import TEXT, WHOLE
from arena.store.rows import metadata

__all__ = ["LINE", "PARTICIPANT", "SUBMISSION"]


def _checksum() -> Column[int]:
    """Return the column with the checksum of a row, see `arena.store.checksums`."""
    return Column("checksum", WHOLE, nullable=False, server_default="0")


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
    _checksum(),
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
    _checksum(),
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
    _checksum(),
)
