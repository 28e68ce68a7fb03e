"""Add the worker of a game, and the scale of its time controls."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Replace the table, so that the columns have their places, and the index."""
    op.drop_index("uq_game_scored_key", "game")
    op.create_table(
        "game_new",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("termination", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("detail", sa.String(), nullable=False),
        sa.Column("plies", sa.Integer(), nullable=False),
        sa.Column("started", sa.Float(), nullable=False),
        sa.Column("duration", sa.Integer(), nullable=False),
        sa.Column("worker", sa.String(), nullable=False, server_default=""),
        sa.Column("scale", sa.Float(), nullable=False, server_default="1.0"),
        sa.Column("result_sum", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("checksum", sa.Integer(), nullable=False, server_default="0"),
        sa.PrimaryKeyConstraint("id", name="pk_game"),
        sa.CheckConstraint("plies >= 0", name=op.f("ck_game_plies")),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name="fk_game_tournament_id"),
    )
    columns = "id, tournament_id, number, key, game, termination, reason, detail, plies, started, duration"
    op.execute(
        f"INSERT INTO game_new ({columns}, result_sum, checksum)"
        f" SELECT {columns}, result_sum, checksum FROM game"
    )
    op.drop_table("game")
    op.rename_table("game_new", "game")
    op.create_index(
        "uq_game_scored_key",
        "game",
        ["tournament_id", "key"],
        unique=True,
        sqlite_where=sa.literal_column("termination != 'void'"),
    )
