"""Texts on pictures, in the colours of pages by night."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Final

from arena.web.boards.picture import FONTS

if TYPE_CHECKING:
    from PIL import ImageFont

GROUND, INK, MUTED, ACCENT = "#0f1412", "#e7ede9", "#a1afa7", "#5dd0a0"

_LONGEST: Final = 200  # longer texts are cut before they are measured
_MISSING: Final = re.compile(
    "[^ -~\xa0-\xac\xae-\u0148\u014a-\u017f\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03ce\u0400-\u045f"
    "\u0490\u0491\u2010-\u2026\u202f\u2030\u2039\u203a\u20ac\u2190-\u2193\u2212]"
)
"""The characters that the font has not: it has the Latin, Greek and Cyrillic letters."""


def text_element(
    text: str, size: float, colour: str, *, x: float = 0, bold: bool = False, end: bool = False
) -> str:
    """Return a text as an SVG element for `png`; it begins at x, or ends there."""
    weight = ' font-weight="700"' if bold else ""
    anchor = ' text-anchor="end"' if end else ""
    shown = escape(drawable(text))
    return f'<text x="{x:g}" font-size="{size:g}" fill="{colour}"{weight}{anchor}>{shown}</text>'


def drawable(text: str) -> str:
    """Return a text without the characters that the font has not."""
    return _MISSING.sub("□", unicodedata.normalize("NFC", text[:_LONGEST]))


def cut(text: str, size: float, width: float, *, bold: bool = False) -> str:
    """Return a text, or the beginning of it that has room and three dots."""
    text = drawable(text)
    if length(text, size, bold=bold) <= width:
        return text
    fits = bisect(range(len(text)), width, key=lambda end: length(f"{text[:end]}…", size, bold=bold))
    return f"{text[: max(fits - 1, 0)].rstrip()}…"


def length(text: str, size: float, *, bold: bool = False) -> float:
    """Return the width of a text in pixels."""
    return _font(bold).getlength(drawable(text)) * size / 100


@cache
def _font(bold: bool) -> ImageFont.FreeTypeFont:
    from PIL import ImageFont

    return ImageFont.truetype(FONTS / f"Inter-{'Bold' if bold else 'Regular'}.otf", 100)
