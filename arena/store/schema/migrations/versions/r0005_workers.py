"""Add the worker of a game, and the scale of its time controls."""

import sqlalchemy as sa
from alembic import op

from arena.store.schema.migrations.replacing import TEXT, WHOLE, add_column, replaces_tables

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the columns, in SQLite at their places."""
    if replaces_tables():
        _replace_game()
    else:
        add_column("game", _worker())
        add_column("game", _scale())


def _worker() -> sa.Column[str]:
    return sa.Column("worker", TEXT, nullable=False, server_default="")


def _scale() -> sa.Column[float]:
    return sa.Column("scale", sa.Float(), nullable=False, server_default="1.0")


def _replace_game() -> None:
    op.drop_index("uq_game_scored_key", "game")
    op.create_table(
        "game_new",
        sa.Column("id", WHOLE, nullable=False),
        sa.Column("tournament_id", WHOLE, nullable=False),
        sa.Column("number", WHOLE, nullable=False),
        sa.Column("key", TEXT, nullable=False),
        sa.Column("game", TEXT, nullable=False),
        sa.Column("termination", TEXT, nullable=False),
        sa.Column("reason", TEXT, nullable=False),
        sa.Column("detail", TEXT, nullable=False),
        sa.Column("plies", WHOLE, nullable=False),
        sa.Column("started", sa.Float(), nullable=False),
        sa.Column("duration", WHOLE, nullable=False),
        _worker(),
        _scale(),
        sa.Column("result_sum", WHOLE, nullable=False, server_default="0"),
        sa.Column("checksum", WHOLE, nullable=False, server_default="0"),
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
