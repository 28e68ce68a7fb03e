"""Draw a position as a picture in PNG, for programs that show a preview of a link.

resvg draws the SVG. It knows neither variables of CSS nor the colours of a ``<use>`` element inside its
symbol. So each ``<use>`` becomes a group, and each rule with a variable a rule for each group that sets it.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from arena.web.boards.svg import Drawing
from arena.web.templating import asset

SIDE: Final = 630
"""The width and height of the picture. Previews are at most 630 pixels high."""

_GROUND: Final = "#f5f6f3"
_RULE: Final = re.compile(r"([^{}]+)\{([^{}]*)\}")
_VARIABLE: Final = re.compile(r"var\((--[\w-]+)(?:, *([^()]*))?\)")
_SYMBOL: Final = re.compile(r'<symbol id="([\w-]+)"[^>]*>(.*?)</symbol>')
_USE: Final = re.compile(r'<use href="#([\w-]+)"(?: x="([^"]*)" y="([^"]*)")?(?: class="([^"]*)")?/>')


def picture(drawing: Drawing) -> bytes:
    """Return the picture of a board as PNG, `SIDE` pixels wide and high.

    Its texts are left out, because machines have different fonts, or none.
    """
    import resvg_py  # its library has 3 MB, and nothing else needs it

    svg = _svg(drawing)
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, width=SIDE, height=SIDE, skip_system_fonts=True))


def _svg(drawing: Drawing) -> str:
    left, top, wide, high = drawing.box
    side = max(wide, high) * 1.06
    box = f"{left - (side - wide) / 2:g} {top - (side - high) / 2:g} {side:g} {side:g}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}"><style>{_style()}</style>'
        f'<rect x="-9999" y="-9999" width="99999" height="99999" fill="{_GROUND}"/>'
        f'<g class="{drawing.look}">{_without_use(drawing.ground + "".join(drawing.items))}</g></svg>'
    )


def _without_use(markup: str) -> str:
    def group(use: re.Match[str]) -> str:
        name, x, y, look = use.groups("")
        inside = _without_use(_symbols()[name])
        return f'<g transform="translate({x or 0} {y or 0})" class="{look}">{inside}</g>'

    return _USE.sub(group, markup)


@cache
def _symbols() -> dict[str, str]:
    return dict(_SYMBOL.findall(asset("symbols.svg.j2")))


@cache
def _style() -> str:
    """Return the rules of the style sheet for boards, without variables."""
    sheet = asset("style.css")
    sheet = sheet[sheet.index("/* Boards ") : sheet.index("/* Live pages */")]
    setters: list[tuple[str, dict[str, str]]] = [("", {})]  # first what is so without a variable
    users: list[tuple[str, str, str]] = []
    for selectors, body in _RULE.findall(re.sub(r"/\*.*?\*/", "", sheet)):
        pairs = (one.partition(":") for one in body.split(";") if ":" in one)
        found = [(key.strip(), value.strip()) for key, _, value in pairs]
        for selector in map(str.strip, selectors.split(",")):
            name = selector.removeprefix(".board ")
            setters.append((name, {key: value for key, value in found if key.startswith("--")}))
            users += [(name, key, value) for key, value in found if not key.startswith("--")]
    rules = []
    for setter, variables in setters:
        for user, key, value in users:
            used = _VARIABLE.search(value)
            new = variables.get(used[1]) if used else None
            if setter == "" and (used is None or used[2]):
                rules.append(f"{user}{{{key}:{used[2] if used else value}}}")
            elif used and new:
                rules.append(f"{setter} {user}{{{key}:{new}}}")
    return "".join(rules)
