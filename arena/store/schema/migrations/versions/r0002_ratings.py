"""Add the hashes of programs, the settings of rating lists, and checkpoints of their ratings."""

import sqlalchemy as sa
from alembic import op

from arena.store.schema.migrations.replacing import TEXT, WHOLE, add_column

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add a column and two tables."""
    op.drop_index("uq_engine_name_version", "engine")
    add_column("engine", sa.Column("program", TEXT, nullable=False, server_default=""))
    op.create_index("uq_engine_name_version_program", "engine", ["name", "version", "program"], unique=True)
    op.create_table(
        "rating_list",
        sa.Column("game", TEXT, nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("game", name="pk_rating_list"),
    )
    op.create_table(
        "checkpoint",
        sa.Column("game", TEXT, nullable=False),
        sa.Column("model", TEXT, nullable=False),
        sa.Column("games", WHOLE, nullable=False),
        sa.Column("tournament_id", WHOLE, nullable=False),
        sa.Column("number", WHOLE, nullable=False),
        sa.Column("key", TEXT, nullable=False),
        sa.Column("duration", WHOLE, nullable=False),
        sa.Column("ratings", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("game", "model", "games", name="pk_checkpoint"),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name="fk_checkpoint_tournament_id"),
    )
