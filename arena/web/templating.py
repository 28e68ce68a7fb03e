"""Fill in the templates of web pages. Values are escaped unless they are markup from this package."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from arena import manual
from arena.extras import has_extra
from arena.model import game_title
from arena.tables.text_table import TextTable, as_text
from arena.web import figures
from arena.web.boards.svg import SEAT_SHAPES
from arena.web.links import game_anchor
from protocol.words import printable

ASSETS = ("style.css", "theme.js", "times.js", "copy.js", "filter.js", "replay.js", "icon.svg")
"""The files of a report that are not templates."""


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
    for function in (
        figures.age,
        figures.moment,
        figures.day,
        figures.days,
        figures.word_anchor,
        figures.cell,
        figures.short_name,
        figures.grouped,
        figures.on_pages,
        game_title,
        game_anchor,
        as_text,
    ):
        environment.filters[function.__name__] = function
    environment.filters.update(embedded=_embedded, without=_without)
    environment.globals.update(has_extra=has_extra, seat_shapes=SEAT_SHAPES)
    environment.tests["explained"] = lambda game_id: game_id in manual.games()
    return environment


def _showable(value: object) -> object:
    """Replace control characters in texts, because HTML does not allow them."""
    return printable(value, keep="\n\u202f") if type(value) is str else value


def page(template: str, **values: object) -> str:
    """Fill in a template and return the page."""
    return _environment().get_template(template).render(values)


def prepare() -> None:
    """Compile all templates, which takes 0.2 s. Otherwise the first reader of each page waits for this."""
    environment = _environment()
    for name in environment.list_templates(extensions=["j2"]):
        environment.get_template(name)


def assets() -> list[str]:
    """Return the names of all files of a server that are not templates."""
    return _environment().list_templates(extensions=["css", "js", "svg"])


def asset(name: str) -> str:
    """Return a file of a site that is not a template."""
    loader = _environment().loader
    assert loader is not None
    return loader.get_source(_environment(), name)[0]


def _embedded(value: object) -> Markup:
    """Return JSON for a script element of a page. Its escapes prevent a value from closing the element."""
    text = msgspec.json.encode(value).decode()
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 - a text without < > & cannot close the script element


def _without(table: TextTable, *headers: str) -> TextTable:
    """Return a table without some columns, which another table on the page has."""
    kept = [place for place, header in enumerate(table.headers) if header not in headers]

    def cut(row: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(row[place] for place in kept)

    return replace(table, headers=cut(table.headers), rows=tuple(map(cut, table.rows)))
