"""Add the options of engines. Those of engines that have played are not known."""

import sqlalchemy as sa
from alembic import op

from arena.store.schema.migrations.replacing import TEXT, WHOLE, add_column, replaces_tables

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the column, in SQLite at its place, and replace the index."""
    op.drop_index("uq_engine_name_version_program", "engine")
    if replaces_tables():
        _replace_engine()
    else:
        add_column("engine", sa.Column("options", TEXT, nullable=False, server_default=""))
    columns = ["name", "version", "program", "options"]
    op.create_index("uq_engine_name_version_program_options", "engine", columns, unique=True)


def _replace_engine() -> None:
    op.create_table(
        "engine_new",
        sa.Column("id", WHOLE, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("version", TEXT, nullable=False),
        sa.Column("program", TEXT, nullable=False, server_default=""),
        sa.Column("options", TEXT, nullable=False, server_default=""),
        sa.Column("checksum", WHOLE, nullable=False, server_default="0"),
        sa.PrimaryKeyConstraint("id", name="pk_engine"),
    )
    op.execute("INSERT INTO engine_new SELECT id, name, version, program, '', checksum FROM engine")
    op.drop_table("engine")
    op.rename_table("engine_new", "engine")
