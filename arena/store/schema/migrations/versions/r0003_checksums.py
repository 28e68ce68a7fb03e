"""Add the checksums. The store computes them when all revisions are done."""

import sqlalchemy as sa
from alembic import op

from arena.store.schema.migrations.replacing import TEXT, WHOLE, add_column, replaces_tables

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the columns."""
    if replaces_tables():
        op.drop_index("uq_game_scored_key", "game")
        op.drop_index("uq_engine_name_version_program", "engine")
        _replace_game()
        _replace_engine()
        _create_indexes()
    else:
        for column in ("result_sum", "checksum"):
            add_column("game", _checksum(column))
        add_column("engine", _checksum("checksum"))
    for name in ("tournament", "rating_list", "checkpoint"):
        add_column(name, _checksum("checksum"))


def _create_indexes() -> None:
    op.create_index(
        "uq_game_scored_key",
        "game",
        ["tournament_id", "key"],
        unique=True,
        sqlite_where=sa.literal_column("termination != 'void'"),
    )
    op.create_index("uq_engine_name_version_program", "engine", ["name", "version", "program"], unique=True)


def _checksum(name: str) -> sa.Column[int]:
    return sa.Column(name, WHOLE, nullable=False, server_default="0")


def _replace_game() -> None:
    # Not as a batch, which changes the order of the constraints.
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
        _checksum("result_sum"),
        _checksum("checksum"),
        sa.PrimaryKeyConstraint("id", name="pk_game"),
        sa.CheckConstraint("plies >= 0", name=op.f("ck_game_plies")),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name="fk_game_tournament_id"),
    )
    _copy("game")


def _replace_engine() -> None:
    op.create_table(
        "engine_new",
        sa.Column("id", WHOLE, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("version", TEXT, nullable=False),
        sa.Column("program", TEXT, nullable=False, server_default=""),
        _checksum("checksum"),
        sa.PrimaryKeyConstraint("id", name="pk_engine"),
    )
    _copy("engine", ", 0")


def _copy(table: str, more: str = ", 0, 0") -> None:
    op.execute(f"INSERT INTO {table}_new SELECT *{more} FROM {table}")
    op.drop_table(table)
    op.rename_table(f"{table}_new", table)
