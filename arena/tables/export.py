"""Tables in forms that other programs take: CSV and Markdown."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

from rich.console import RenderableType

from arena.tables.text_table import TextTable
from arena.tables.titled_table import TitledTable, as_text
from protocol.printable import printable

__all__ = ["as_csv", "as_markdown"]

_NAME = 3
"""The column that holds what people and engines wrote."""

_HEADERS = {"W-D-L": ("wins", "draws", "losses"), "+-95%": ("error",)}
"""Headers that are others in CSV."""

_SPECIAL = re.compile(r"([\\`*_\[\]<>|&#~])")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def as_csv(parts: Iterable[RenderableType]) -> str:
    """The tables among ``parts``, each with its headers and an empty line before the next.

    The text has no line break at its end.
    """
    return "\n\n".join(_csv(part) for part in parts if isinstance(part, TitledTable) and part.grid().headers)


def as_markdown(parts: Iterable[RenderableType]) -> str:
    """Sentences, tables and drawings; without a line break at the end."""
    return "\n\n".join(filter(None, map(_markdown, parts)))


def _csv(sheet: TitledTable) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    headers, *rows = sheet.records()
    writer.writerow(cell for header in headers for cell in _HEADERS.get(header, (header,)))
    for row in rows:
        cells = enumerate(zip(headers, row, strict=True))
        writer.writerow(value for column, cell in cells for value in _values(*cell, name=column == _NAME))
    return out.getvalue().rstrip("\n")


def _values(header: str, cell: str, *, name: bool) -> Sequence[str]:
    """What a spreadsheet takes for nothing else: 1-0-2 would be a day, and so would 1/3."""
    if header == "W-D-L":
        return cell.split("-")
    return [_harmless(cell) if name else cell.replace("/", " of ")]


def _harmless(name: str) -> str:
    """A name that a spreadsheet would take for a formula, with an apostrophe before it."""
    return f"'{name}" if name.startswith(_FORMULA) else name


def _markdown(part: RenderableType) -> str:
    if isinstance(part, TitledTable):
        return "\n\n".join(filter(None, [_table(part.grid()), _escaped(part.note)]))
    if isinstance(part, str):
        return _escaped(part).replace("\n", "  \n")
    drawing = as_text(part).rstrip("\n")
    return f"```text\n{drawing}\n```"


def _table(grid: TextTable) -> str:
    if not grid.headers:
        return ""
    rule = ["---:", ":---", *["---:"] * (len(grid.headers) - 2)]
    return "\n".join(
        map(_row, [[_escaped(header) for header in grid.headers], rule, *map(_cells, grid.rows)])
    )


def _cells(row: Sequence[str]) -> list[str]:
    return [_escaped(cell) for cell in row]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", printable(text, keep="\n"))
