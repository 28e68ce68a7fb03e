"""Add the tables of the door: participants, submissions, and what happens to them."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "door_participant",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tournament", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_door_participant"),
        sa.UniqueConstraint("tournament", "name", name="uq_door_participant_tournament_name"),
        sa.UniqueConstraint("token", name="uq_door_participant_token"),
    )
    op.create_table(
        "door_submission",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("participant_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("filename", sa.String(), nullable=False),
        sa.Column("plan", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("problem", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
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
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tournament", sa.String(), nullable=False),
        sa.Column("submission_id", sa.Integer()),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_door_line"),
        sa.ForeignKeyConstraint(["submission_id"], ["door_submission.id"], name="fk_door_line_submission_id"),
    )
    op.create_index("ix_door_line_submission_id", "door_line", ["submission_id"])
