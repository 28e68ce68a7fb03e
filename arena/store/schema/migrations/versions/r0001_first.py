"""Create the first schema: tournaments, engines, games, players, records."""

import sqlalchemy as sa
from alembic import op

from arena.store.schema.migrations.replacing import TEXT, WHOLE

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "tournament",
        sa.Column("id", WHOLE, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_tournament"),
        sa.UniqueConstraint("name", name="uq_tournament_name"),
    )
    op.create_table(
        "engine",
        sa.Column("id", WHOLE, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("version", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_engine"),
    )
    op.create_index("uq_engine_name_version", "engine", ["name", "version"], unique=True)
    _create_game()
    _create_player()
    _create_record()


def _create_game() -> None:
    op.create_table(
        "game",
        sa.Column("id", WHOLE, nullable=False, autoincrement=False),
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
        sa.PrimaryKeyConstraint("id", name="pk_game"),
        sa.CheckConstraint("plies >= 0", name=op.f("ck_game_plies")),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name="fk_game_tournament_id"),
    )
    op.create_index(
        "uq_game_scored_key",
        "game",
        ["tournament_id", "key"],
        unique=True,
        sqlite_where=sa.literal_column("termination != 'void'"),
        postgresql_where=sa.literal_column("termination != 'void'"),
    )


def _create_player() -> None:
    op.create_table(
        "player",
        sa.Column("game_id", WHOLE, nullable=False),
        sa.Column("seat", WHOLE, nullable=False),
        sa.Column("engine_id", WHOLE, nullable=False),
        sa.Column("rank", WHOLE),
        sa.Column("points", sa.Float(), nullable=False),
        sa.Column("forfeit", TEXT),
        sa.Column("time_control", TEXT, nullable=False),
        sa.Column("margin", WHOLE, nullable=False),
        sa.Column("time_used", WHOLE, nullable=False),
        sa.PrimaryKeyConstraint("game_id", "seat", name="pk_player"),
        sa.CheckConstraint("seat >= 0", name=op.f("ck_player_seat")),
        sa.CheckConstraint("rank >= 1", name=op.f("ck_player_rank")),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name="fk_player_game_id"),
        sa.ForeignKeyConstraint(["engine_id"], ["engine.id"], name="fk_player_engine_id"),
        sqlite_with_rowid=False,
    )


def _create_record() -> None:
    op.create_table(
        "record",
        sa.Column("game_id", WHOLE, nullable=False),
        sa.Column("opening_position", TEXT),
        sa.Column("opening_moves", sa.JSON(), nullable=False),
        sa.Column("moves", sa.JSON(), nullable=False),
        sa.Column("seats", sa.JSON(), nullable=False),
        sa.Column("times", sa.JSON(), nullable=False),
        sa.Column("scores", sa.JSON(), nullable=False),
        sa.Column("depths", sa.JSON(), nullable=False),
        sa.Column("final_position", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("game_id", name="pk_record"),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name="fk_record_game_id"),
    )
