"""Durations in words."""

from __future__ import annotations

__all__ = ["duration"]

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400


def duration(seconds: float) -> str:
    """Return a duration in its two largest units: ``40 s``, ``5 min 10 s``, ``2 h 5 min``, ``3 d 4 h``."""
    whole = round(seconds)
    for size, name, smaller, small_name in ((_DAY, "d", _HOUR, "h"), (_HOUR, "h", _MINUTE, "min")):
        if whole >= size:
            return _two(whole, size, name, smaller, small_name)
    return _two(whole, _MINUTE, "min", 1, "s") if whole >= _MINUTE else f"{whole} s"


def _two(whole: int, size: int, name: str, smaller: int, small_name: str) -> str:
    rest = whole % size // smaller
    return f"{whole // size} {name}" + (f" {rest} {small_name}" if rest else "")
