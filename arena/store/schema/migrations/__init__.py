"""The changes of the schema: each module in `versions` is a revision. Only a run of them imports alembic."""

from __future__ import annotations

from pathlib import Path
from typing import Final

__all__ = ["DIRECTORY", "HEAD"]

DIRECTORY: Final = Path(__file__).parent
"""The folder of the revisions; alembic calls it the script location."""

HEAD: Final = "0007"
"""The newest revision: the schema of `arena.store.rows`."""
