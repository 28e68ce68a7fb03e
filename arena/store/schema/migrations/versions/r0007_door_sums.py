"""Add the checksums of the door's tables. The store computes them when all revisions are done."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from arena.store.schema.migrations.replacing import TEXT, WHOLE, add_column, replaces_tables

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the columns."""
    if replaces_tables():  # not as a batch, which changes the order of the constraints
        _replace("door_participant", *_participant())
        _replace("door_submission", *_submission())
    else:
        add_column("door_participant", _checksum())
        add_column("door_submission", _checksum())
    add_column("door_line", _checksum())


def _checksum() -> sa.Column[int]:
    return sa.Column("checksum", WHOLE, nullable=False, server_default="0")


def _replace(table: str, *parts: sa.schema.SchemaItem) -> None:
    columns = ", ".join(
        part.name for part in parts if isinstance(part, sa.Column) and part.name != "checksum"
    )
    op.create_table(f"{table}_new", *parts)
    op.execute(f"INSERT INTO {table}_new ({columns}) SELECT {columns} FROM {table}")
    op.drop_table(table)
    op.rename_table(f"{table}_new", table)


def _participant() -> tuple[Any, ...]:
    return (
        sa.Column("id", WHOLE, nullable=False),
        sa.Column("tournament", TEXT, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("token", TEXT, nullable=False),
        sa.Column("role", TEXT, nullable=False),
        sa.Column("state", TEXT, nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        _checksum(),
        sa.PrimaryKeyConstraint("id", name="pk_door_participant"),
        sa.UniqueConstraint("tournament", "name", name="uq_door_participant_tournament_name"),
        sa.UniqueConstraint("token", name="uq_door_participant_token"),
    )


def _submission() -> tuple[Any, ...]:
    return (
        sa.Column("id", WHOLE, nullable=False),
        sa.Column("participant_id", WHOLE, nullable=False),
        sa.Column("version", WHOLE, nullable=False),
        sa.Column("digest", TEXT, nullable=False),
        sa.Column("filename", TEXT, nullable=False),
        sa.Column("plan", sa.JSON(), nullable=False),
        sa.Column("state", TEXT, nullable=False),
        sa.Column("problem", TEXT, nullable=False),
        sa.Column("attempts", WHOLE, nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("ended", sa.Float()),
        _checksum(),
        sa.PrimaryKeyConstraint("id", name="pk_door_submission"),
        sa.UniqueConstraint("participant_id", "version", name="uq_door_submission_participant_id_version"),
        sa.ForeignKeyConstraint(
            ["participant_id"], ["door_participant.id"], name="fk_door_submission_participant_id"
        ),
    )
