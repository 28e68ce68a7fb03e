"""What came from an engine, as people may be shown it: in tables, on terminals, in reports of a failure."""

from __future__ import annotations

__all__ = ["left_behind", "printable"]

_TAIL_LINES, _TAIL_LENGTH = 3, 300
"""How much of an engine's standard error a report quotes: the last lines, and characters."""

_UNFINISHED_LENGTH = 60
"""Characters that are quoted of a line without its end."""


def printable(text: str, *, keep: str = "") -> str:
    """``text`` without what would move a terminal's cursor or that no file may hold; ``keep`` stays."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one in keep else "?" for one in text)


def left_behind(unfinished: str, stderr: str = "") -> str:
    """What a failed engine printed without a newline, and the end of its standard error; "" for neither."""
    hint = f"; it printed {unfinished[:_UNFINISHED_LENGTH]!r} without a newline" if unfinished else ""
    tail = [line.strip() for line in stderr.splitlines() if line.strip(" \t\r~^")]
    said = printable(" | ".join(tail[-_TAIL_LINES:])[-_TAIL_LENGTH:])
    return hint + (f"; its standard error ends: {said}" if said else "")
