"""Templates: what they show is escaped unless it was made here."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from rich.console import Console, RenderableType

from arena.tables.sheet import Sheet
from protocol.printable import printable

__all__ = ["as_text", "asset", "page"]

_WIDE = 200  # columns of what is drawn with characters


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("arena.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_showable,
    )
    environment.filters["embedded"] = _embedded
    environment.filters["part"] = _part
    return environment


def _showable(value: object) -> object:
    """Text from engines and files without control characters, which no page may hold."""
    return printable(value, keep="\n") if type(value) is str else value


def page(template: str, values: Mapping[str, Any]) -> str:
    """Fill in a template."""
    return _environment().get_template(template).render(values)


def asset(name: str) -> str:
    """A file that goes into a site as it is."""
    loader = _environment().loader
    assert loader is not None
    return loader.get_source(_environment(), name)[0]


def _embedded(value: object) -> Markup:
    """JSON inside of a page's script element, which nothing in it can close."""
    text = msgspec.json.encode(value).decode()
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 - without < > & it is nothing but text there


def _part(part: RenderableType) -> dict[str, object]:
    """What a command prints, for a template: a sentence, a table, or lines drawn with characters."""
    if isinstance(part, str):
        return {"kind": "text", "text": part}
    if isinstance(part, Sheet):
        return {"kind": "table", "table": part.grid(), "caption": part.name, "note": part.note}
    return {"kind": "drawing", "text": as_text(part)}


def as_text(part: RenderableType) -> str:
    """What the terminal would show, without its colours."""
    console = Console(width=_WIDE, color_system=None, force_terminal=False, markup=False, emoji=False)
    with console.capture() as captured:
        console.print(part)
    return captured.get()
