"""Turn the drawing of a position, and texts, into PNG, for pictures outside of pages.

resvg draws the SVG. It knows neither variables of CSS nor the colours of a ``<use>`` element inside its
symbol. So each ``<use>`` becomes a group, and each rule with a variable a rule for each group that sets it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from html import escape
from pathlib import Path
from typing import Final

from arena.web.boards.svg import Drawing
from arena.web.templating import asset

FONTS: Final = Path(__file__).parents[1] / "fonts"
"""The font Inter, which is the same on every machine."""

_RULE: Final = re.compile(r"([^{}]+)\{([^{}]*)\}")
_CLASS: Final = re.compile(r"\.([\w-]+)")
_LOOKS: Final = re.compile(r' class="([^"]*)"')
_VARIABLE: Final = re.compile(r"var\((--[\w-]+)(?:, *([^()]*))?\)")
_SYMBOL: Final = re.compile(r'<symbol id="([\w-]+)"[^>]*>(.*?)</symbol>')
_USE: Final = re.compile(r'<use href="#([\w-]+)"(?: x="([^"]*)" y="([^"]*)")?(?: class="([^"]*)")?/>')


def png(inside: str, width: int, height: int) -> bytes:
    """Return SVG elements as PNG with this size, one pixel for each unit."""
    import resvg_py

    fonts = [str(FONTS / f"Inter-{weight}.otf") for weight in ("Regular", "Bold")]
    data = resvg_py.svg_to_bytes(
        svg_string=document(inside, width, height),
        width=width,
        height=height,
        skip_system_fonts=True,
        font_files=fonts,
    )
    return bytes(data)


def document(inside: str, width: int, height: int) -> str:
    """Return a whole SVG file of elements, with their colours, which change nothing around it in a page."""
    used = {look for looks in _LOOKS.findall(inside) for look in looks.split()}
    style = "".join(f".arena {rule}" for looks, rule in _rules() if looks <= used)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
        f' class="arena"><style>{style}.arena text{{font-family:Inter,sans-serif}}</style>{inside}</svg>'
    )


def board_element(drawing: Drawing, left: float, top: float, side: float) -> str:
    """Return a board as an SVG element for `png`, in the middle of this square."""
    x, y, width, height = drawing.box
    scale = side / max(width, height)  # an <svg> inside the other one would take twice the time
    left += (side - scale * width) / 2 - scale * x
    top += (side - scale * height) / 2 - scale * y
    markup = without_use(drawing.ground + "".join(drawing.items))
    return f'<g transform="translate({left:g} {top:g}) scale({scale:g})" class="{drawing.look}">{markup}</g>'


def without_use(markup: str) -> str:
    """Return SVG elements with the shapes of the boards' symbols instead of references to them."""

    def group(use: re.Match[str]) -> str:
        name, x, y, look = use.groups("")
        inside = without_use(_symbols()[name])
        return f'<g transform="translate({x or 0} {y or 0})" class="{look}">{inside}</g>'

    return _USE.sub(group, markup)


@cache
def _symbols() -> dict[str, str]:
    return dict(_SYMBOL.findall(asset("symbols.svg.j2")))


@cache
def _rules() -> list[tuple[frozenset[str], str]]:
    """Return the rules of the style sheet for boards, without variables, and the classes that each names."""
    sheet = asset("style.css")
    sheet = sheet[sheet.index("/* Boards have ") : sheet.index("/* Live pages */")]
    setters: list[tuple[str, dict[str, str]]] = [("", {})]  # first what is so without a variable
    users: list[tuple[str, str, str, re.Match[str] | None]] = []
    for selectors, body in _RULE.findall(re.sub(r"/\*.*?\*/", "", sheet)):
        pairs = (declaration.partition(":") for declaration in body.split(";") if ":" in declaration)
        declarations = [(key.strip(), value.strip()) for key, _, value in pairs]
        for selector in map(str.strip, selectors.split(",")):
            name = selector.removeprefix(".board ")
            if variables := {key: value for key, value in declarations if key.startswith("--")}:
                setters.append((name, variables))
            users += [
                (name, key, value, _VARIABLE.search(value))
                for key, value in declarations
                if not key.startswith("--")
            ]
    rules: list[tuple[str, str]] = []
    for setter, variables in setters:
        for user, key, value, used in users:
            new = variables.get(used[1]) if used else None
            if setter == "" and (used is None or used[2]):
                rules.append((user, f"{key}:{used[2] if used else value}"))
            elif used and new:
                rules.append((f"{setter} {user}", f"{key}:{new}"))
    return [(frozenset(_CLASS.findall(selector)), f"{selector}{{{rule}}}") for selector, rule in rules]


# --- texts

GROUND, INK, MUTED, ACCENT = "#0f1412", "#e7ede9", "#a1afa7", "#5dd0a0"  # the colours of pages by night

_LETTER: Final = 0.52  # the width of a letter of the font, as a share of its size
_LONGEST_TEXT: Final = 200  # of a text
_MISSING: Final = re.compile(
    "[^ -~\xa0-\xac\xae-\u0148\u014a-\u017f\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03ce\u0400-\u045f"
    "\u0490\u0491\u2010-\u2026\u202f\u2030\u2039\u203a\u20ac\u2190-\u2193\u2212]"
)
"""The characters that the font has not: it has the Latin, Greek and Cyrillic letters."""


def text_element(
    text: str, size: float, colour: str, *, x: float = 0, bold: bool = False, end: bool = False
) -> str:
    """Return a text as an SVG element for `png`; it starts at x, or ends there."""
    weight = ' font-weight="700"' if bold else ""
    anchor = ' text-anchor="end"' if end else ""
    shown = escape(drawable(text))
    return f'<text x="{x:g}" font-size="{size:g}" fill="{colour}"{weight}{anchor}>{shown}</text>'


def drawable(text: str) -> str:
    """Return a text without the characters that the font has not."""
    return _MISSING.sub("□", unicodedata.normalize("NFC", text[:_LONGEST_TEXT]))


def letters_in(width: float, size: float) -> int:
    """Return the number of letters of a usual text that fit in a width; a picture clips other texts."""
    return int(width / (_LETTER * size))
