"""Templates: what they show is escaped unless it was made here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from rich.console import RenderableType

from arena.tables.titled_table import TitledTable, as_text
from protocol.printable import printable

__all__ = ["asset", "page", "tables_page"]


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
    if isinstance(part, TitledTable):
        return {"kind": "table", "table": part.grid(), "caption": part.name, "note": part.note}
    return {"kind": "drawing", "text": as_text(part)}


def tables_page(parts: Iterable[RenderableType]) -> str:
    """Sentences, tables and drawings as one HTML page; without a line break at the end."""
    return page("tables.html.j2", {"items": list(parts)}).strip()
