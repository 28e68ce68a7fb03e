"""Add what engines report of a search besides score and depth. No earlier game has it."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the columns, which are null in all rows."""
    for name in ("nodes", "nps", "seldepths", "hashfulls", "pvs"):
        op.add_column("record", sa.Column(name, sa.JSON()))
