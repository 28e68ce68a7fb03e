"""Words for people: makes the text of engines safe to show, and writes a number with its noun."""

from __future__ import annotations

import os


def printable(text: str, *, keep: str = "") -> str:
    """Replace each character that is not printable by ``?``, except the characters in ``keep``."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in keep else "?" for char in text)


def for_system(text: str) -> bool:
    """Return whether a text can be a path, an argument of a program, or a variable of the environment.

    A null character cannot, nor can half a character that is no byte of a path (``surrogateescape``).
    """
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def cut(text: str, longest: int = 80) -> str:
    """Cut a long text at its end, usually one that a message quotes."""
    return text if len(text) <= longest else f"{text[:longest]}…"


def shortened(text: str, longest: int) -> str:
    """Cut a long text in its middle: a message begins with the place of an error, and ends with advice."""
    return text if len(text) <= longest else f"{text[: longest // 2]} … {text[-longest // 2 :]}"


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return for example ``1 game``, ``2 games`` or ``2 plies``; the plural has an s unless it is given."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {plural or noun + 's'}"
