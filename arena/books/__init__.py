"""The opening books that come with arena: openings that a strong engine judges to be balanced."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

__all__ = ["BookName", "book_file"]

BookName = Literal["hops"]
"""The books are named after the ids of their games."""


def book_file(name: BookName) -> Path:
    """Return the file of a book, with one opening a line."""
    return Path(__file__).with_name(f"{name}.txt")
