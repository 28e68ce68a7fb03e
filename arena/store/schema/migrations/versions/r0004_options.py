"""Add the options of engines. Those of engines that have played are not known."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Replace the table, so that the column has its place, and the index."""
    op.drop_index("uq_engine_name_version_program", "engine")
    op.create_table(
        "engine_new",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("program", sa.String(), nullable=False, server_default=""),
        sa.Column("options", sa.String(), nullable=False, server_default=""),
        sa.Column("checksum", sa.Integer(), nullable=False, server_default="0"),
        sa.PrimaryKeyConstraint("id", name="pk_engine"),
    )
    op.execute("INSERT INTO engine_new SELECT id, name, version, program, '', checksum FROM engine")
    op.drop_table("engine")
    op.rename_table("engine_new", "engine")
    columns = ["name", "version", "program", "options"]
    op.create_index("uq_engine_name_version_program_options", "engine", columns, unique=True)
