"""Makes text from an engine safe to show in tables, on terminals and in error messages."""

from __future__ import annotations


def printable(text: str, *, keep: str = "") -> str:
    """Replace each character that is not printable by ``?``, except the characters in ``keep``."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in keep else "?" for char in text)


def shortened(text: str, longest: int) -> str:
    """Cut a long text in its middle: a message begins with the place of an error, and ends with advice."""
    return text if len(text) <= longest else f"{text[: longest // 2]} … {text[-longest // 2 :]}"
