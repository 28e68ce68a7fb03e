"""A number of things in words."""

from __future__ import annotations

__all__ = ["counted"]


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """``1 game``, ``2 games``, ``1 ply``, ``2 plies``.

    Args:
        number: how many there are.
        noun: what they are, in the singular.
        plural: the same in the plural, where that is more than an s.
    """
    if number == 1:
        return f"1 {noun}"
    return f"{number} {plural or noun + 's'}"
