"""Add the tables of the door: participants, submissions, and what happens to them."""

import sqlalchemy as sa
from alembic import op

from arena.store.schema.migrations.replacing import TEXT, WHOLE

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "door_participant",
        sa.Column("id", WHOLE, nullable=False),
        sa.Column("tournament", TEXT, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("token", TEXT, nullable=False),
        sa.Column("role", TEXT, nullable=False),
        sa.Column("state", TEXT, nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_door_participant"),
        sa.UniqueConstraint("tournament", "name", name="uq_door_participant_tournament_name"),
        sa.UniqueConstraint("token", name="uq_door_participant_token"),
    )
    op.create_table(
        "door_submission",
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
        sa.PrimaryKeyConstraint("id", name="pk_door_submission"),
        sa.UniqueConstraint("participant_id", "version", name="uq_door_submission_participant_id_version"),
        sa.ForeignKeyConstraint(
            ["participant_id"], ["door_participant.id"], name="fk_door_submission_participant_id"
        ),
    )
    op.create_table(
        "door_line",
        sa.Column("id", WHOLE, nullable=False),
        sa.Column("tournament", TEXT, nullable=False),
        sa.Column("submission_id", WHOLE),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("kind", TEXT, nullable=False),
        sa.Column("text", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_door_line"),
        sa.ForeignKeyConstraint(["submission_id"], ["door_submission.id"], name="fk_door_line_submission_id"),
    )
    op.create_index("ix_door_line_submission_id", "door_line", ["submission_id"])
