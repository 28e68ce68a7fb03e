"""Changes of the schema, one revision a module in `versions`; alembic is imported only to run them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

__all__ = ["DIRECTORY", "HEAD"]

DIRECTORY: Final = Path(__file__).parent
"""What alembic calls the script location."""

HEAD: Final = "0002"
"""The newest revision: the schema of `arena.store.rows`."""
