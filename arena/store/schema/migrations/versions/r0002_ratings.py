"""Add the hashes of programs, the settings of rating lists, and checkpoints of their ratings."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add a column and two tables."""
    op.drop_index("uq_engine_name_version", "engine")
    with op.batch_alter_table(
        "engine", recreate="always"
    ) as batch:  # recreate: SQLite alone would add it as the last column
        batch.add_column(sa.Column("program", sa.String(), nullable=False, server_default=""))
    op.create_index("uq_engine_name_version_program", "engine", ["name", "version", "program"], unique=True)
    op.create_table(
        "rating_list",
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("game", name="pk_rating_list"),
    )
    op.create_table(
        "checkpoint",
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("duration", sa.Integer(), nullable=False),
        sa.Column("ratings", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("game", "model", "games", name="pk_checkpoint"),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name="fk_checkpoint_tournament_id"),
    )
