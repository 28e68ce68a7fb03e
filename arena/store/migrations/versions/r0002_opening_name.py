"""Openings keep the names that they have in their books."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the column for the name."""
    op.add_column("record", sa.Column("opening_name", sa.String()))
