"""Writes a number with its noun, in the singular or plural."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return for example ``1 game``, ``2 games`` or ``2 plies``; the plural has an s unless it is given."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {plural or noun + 's'}"
