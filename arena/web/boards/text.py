"""The text diagram of a position as an SVG board, for games without a drawing of their own."""

from __future__ import annotations

from html import escape

from arena.web.boards.canvas import Drawing

__all__ = ["text_board"]

_WIDTH, _HEIGHT = 10, 20
"""The size of a character."""


def text_board(diagram: str) -> Drawing:
    """Draw the lines of a diagram."""
    rows = diagram.splitlines()
    items = tuple(
        f'<text x="0" y="{_HEIGHT * (number + 1) - 5}" class="diagram" textLength="{_WIDTH * len(row)}"'
        f' lengthAdjust="spacingAndGlyphs" xml:space="preserve">{escape(row)}</text>'
        for number, row in enumerate(map(_printable, rows))
        if row.strip()
    )
    width = max((len(row) for row in rows), default=1)
    return Drawing("on-text", (0, 0, max(width, 1) * _WIDTH, max(len(rows), 1) * _HEIGHT), "", items)


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text).rstrip()
