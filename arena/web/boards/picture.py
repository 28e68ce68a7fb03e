"""Draw a position as a picture in PNG, for programs that show a preview of a link.

resvg draws the SVG. It knows neither variables of CSS nor the colours of a ``<use>`` element inside its
symbol, so every shape is written out here with the colours that the style sheet gives it in a browser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final
from xml.etree import ElementTree as ET

from arena.web.boards.canvas import Drawing
from arena.web.templating import asset

__all__ = ["SIDE", "picture"]

SIDE: Final = 630
"""The width and height of the picture. Previews are at most 630 pixels high."""

_GROUND: Final = "#f5f6f3"
_RULE: Final = re.compile(r"([^{}]+)\{([^{}]*)\}")
_CLASSES: Final = re.compile(r"(?:\.[a-z][a-z0-9-]*)+")
_VARIABLE: Final = re.compile(r"var\((--[a-z0-9-]+)(?:, *([^()]*))?\)")
_PROPERTIES: Final = frozenset(
    {
        *("fill", "stroke", "stroke-width", "stroke-linecap", "stroke-linejoin", "stroke-opacity"),
        *("stroke-dasharray", "opacity"),
    }
)
_Rule = tuple[frozenset[str], dict[str, str]]
"""The classes that an element must have, and what they set."""


def picture(drawing: Drawing) -> bytes:
    """Return the picture of a board as PNG, `SIDE` pixels wide and high.

    Args:
        drawing: the board. Its texts are left out, because machines have different fonts, or none.
    """
    import resvg_py  # its library has 3 MB, and nothing else needs it

    return bytes(
        resvg_py.svg_to_bytes(svg_string=_svg(drawing), width=SIDE, height=SIDE, skip_system_fonts=True)
    )


def _svg(drawing: Drawing) -> str:
    left, top, wide, high = drawing.box
    side = max(wide, high) * 1.06
    box = f"{left - (side - wide) / 2:g} {top - (side - high) / 2:g} {side:g} {side:g}"
    variables = _variables(drawing.look.split(), {})
    shapes = "".join(
        _written_out(element, variables)
        for element in ET.fromstring(f"<g>{drawing.ground}{''.join(drawing.items)}</g>")  # noqa: S314 - made by `draw`, which escapes all texts
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}">'
        f'<rect x="-9999" y="-9999" width="99999" height="99999" fill="{_GROUND}"/>{shapes}</svg>'
    )


def _written_out(element: ET.Element, variables: Mapping[str, str]) -> str:
    """Return an element with its children, and with its colours as attributes."""
    attributes = dict(element.attrib)
    classes = attributes.pop("class", "").split()
    variables = _variables(classes, variables)
    if element.tag == "text":
        return ""
    if element.tag == "use":
        x, y = attributes.get("x", "0"), attributes.get("y", "0")
        symbol = _symbols()[attributes["href"].removeprefix("#")]
        return f'<g transform="translate({x} {y})">{_inside(symbol, variables)}</g>'
    for name, value in _declared(classes):
        if name in _PROPERTIES:
            attributes[name] = _VARIABLE.sub(lambda found: variables.get(found[1], found[2] or "none"), value)
    inner = _inside(element, variables)
    made = ET.Element(element.tag, attributes)
    made.text = element.text
    return ET.tostring(made, encoding="unicode", short_empty_elements=False).replace("</", f"{inner}</", 1)


def _inside(element: ET.Element, variables: Mapping[str, str]) -> str:
    return "".join(_written_out(child, variables) for child in element)


def _variables(classes: list[str], inherited: Mapping[str, str]) -> dict[str, str]:
    own = {name: value for name, value in _declared(classes) if name.startswith("--")}
    return {**inherited, **own}


def _declared(classes: list[str]) -> Iterator[tuple[str, str]]:
    """Yield what the style sheet sets for an element with these classes, the strongest last."""
    for needed, declarations in _rules():
        if needed <= set(classes):
            yield from declarations.items()


@cache
def _rules() -> list[_Rule]:
    """Return the rules of the style sheet for the shapes of boards. A rule for more classes is stronger."""
    sheet = asset("style.css")
    sheet = sheet[sheet.index("/* Boards ") : sheet.index("/* Live pages */")]
    rules: list[_Rule] = []
    for selectors, body in _RULE.findall(re.sub(r"/\*.*?\*/", "", sheet)):
        declarations = {
            name.strip(): value.strip() for name, _, value in (one.partition(":") for one in body.split(";"))
        }
        for selector in selectors.split(","):
            words = selector.strip().removeprefix(".board ").split()
            if len(words) == 1 and _CLASSES.fullmatch(words[0]):
                rules.append((frozenset(words[0].strip(".").split(".")), declarations))
    return sorted(rules, key=lambda rule: len(rule[0]))


@cache
def _symbols() -> dict[str, ET.Element]:
    """Return the shapes by their names."""
    markup = asset("symbols.svg.j2").partition("#}")[2]
    return {symbol.attrib["id"]: symbol for symbol in ET.fromstring(markup)}  # noqa: S314 - our own file
