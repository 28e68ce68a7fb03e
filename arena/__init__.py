"""Schedule, play, store, rate and show tournaments."""

from typing import Final

__all__ = ["DEFAULT_DATABASE"]

DEFAULT_DATABASE: Final = "arena.db"
"""The database file that commands use by default."""
