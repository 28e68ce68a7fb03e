"""Makes text from an engine safe to show in tables, on terminals and in error messages."""

from __future__ import annotations

__all__ = ["left_behind", "printable", "shortened"]

_TAIL_LINES, _TAIL_LENGTH = 3, 300
"""The most lines from the end of an engine's standard error in a message, and the most characters."""

_UNFINISHED_LENGTH = 60
"""The most characters of an unfinished line in a message."""


def printable(text: str, *, keep: str = "") -> str:
    """Replace each character that is not printable by ``?``, except the characters in ``keep``."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in keep else "?" for char in text)


def shortened(text: str, longest: int) -> str:
    """Cut a long text in its middle: a message begins with the place of an error, and ends with advice."""
    return text if len(text) <= longest else f"{text[: longest // 2]} … {text[-longest // 2 :]}"


def left_behind(unfinished: str, stderr: str = "") -> str:
    """Quote a failed engine's unfinished last line and the end of its standard error; "" without both."""
    hint = f"; it printed {unfinished[:_UNFINISHED_LENGTH]!r} without a newline" if unfinished else ""
    tail = [line.strip() for line in stderr.splitlines() if line.strip(" \t\r~^")]
    quoted = printable(" | ".join(tail[-_TAIL_LINES:])[-_TAIL_LENGTH:])
    return hint + (f"; its standard error ends: {quoted}" if quoted else "")
