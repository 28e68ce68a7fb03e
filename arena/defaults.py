"""Defaults that the command line and tournament files share."""

from typing import Final

__all__ = ["DEFAULT_DATABASE"]

DEFAULT_DATABASE: Final = "arena.db"
"""The database file that commands use by default."""
