"""The first schema: new databases have it already, because arena makes their tables from the rows."""

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Change nothing."""
