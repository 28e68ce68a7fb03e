"""Tournaments: scheduled, played, stored, rated and shown."""

from typing import Final

__all__ = ["DEFAULT_DATABASE"]

DEFAULT_DATABASE: Final = "arena.db"
"""The file for results when nobody names another."""
