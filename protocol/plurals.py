"""Writes a number with its noun, in the singular or plural."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return for example ``1 game``, ``2 games``, ``1 ply`` or ``2 plies``.

    Args:
        number: how many there are.
        noun: the noun in the singular.
        plural: the noun in the plural, unless it is the singular with an s.
    """
    if number == 1:
        return f"1 {noun}"
    return f"{number} {plural or noun + 's'}"
