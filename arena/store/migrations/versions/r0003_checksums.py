"""Add the checksums. `arena.store.schema.upgrade` computes them when all revisions are done."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

GAME = sa.Table(  # a batch does not see what stands in a CHECK
    "game",
    sa.MetaData(),
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
    sa.PrimaryKeyConstraint("id", name="pk_game"),
    sa.CheckConstraint("plies >= 0", name="ck_game_plies"),
    sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name="fk_game_tournament_id"),
)
ENGINE = sa.Table(
    "engine",
    sa.MetaData(),
    sa.Column("id", sa.Integer(), nullable=False),
    sa.Column("name", sa.String(), nullable=False),
    sa.Column("version", sa.String(), nullable=False),
    sa.Column("program", sa.String(), nullable=False, server_default=""),
    sa.PrimaryKeyConstraint("id", name="pk_engine"),
)


def upgrade() -> None:
    """Add the columns."""
    op.drop_index("uq_game_scored_key", "game")
    op.drop_index("uq_engine_name_version_program", "engine")
    _add("game", "result_sum", "checksum", table=GAME)
    _add("engine", "checksum", table=ENGINE)
    for name in ("tournament", "rating_list", "checkpoint"):
        _add(name, "checksum")
    op.create_index(
        "uq_game_scored_key",
        "game",
        ["tournament_id", "key"],
        unique=True,
        sqlite_where=sa.literal_column("termination != 'void'"),
    )
    op.create_index("uq_engine_name_version_program", "engine", ["name", "version", "program"], unique=True)


def _add(name: str, *columns: str, table: sa.Table | None = None) -> None:
    # recreate: SQLite alone would add the columns behind the constraints
    with op.batch_alter_table(name, recreate="always", copy_from=table) as batch:
        for column in columns:
            batch.add_column(sa.Column(column, sa.Integer(), nullable=False, server_default="0"))
