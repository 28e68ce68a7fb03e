"""Write tables as CSV and as Markdown."""

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

_NAME_COLUMN = 3
"""The index of the column with names, which are texts from users and engines."""

_CSV_HEADERS = {"W-D-L": ("wins", "draws", "losses"), "+-95%": ("error",)}
"""The headers that have another name in CSV."""

_SPECIAL = re.compile(r"([\\`*_\[\]<>|&#~])")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def as_csv(renderables: Iterable[RenderableType]) -> str:
    """Return all tables as CSV, each with its headers, and with an empty line between two tables.

    The text has no line break at its end.
    """
    return "\n\n".join(
        _csv(table) for table in renderables if isinstance(table, TitledTable) and table.text_table().headers
    )


def as_markdown(renderables: Iterable[RenderableType]) -> str:
    """Return sentences, tables and drawings as Markdown without a line break at the end."""
    return "\n\n".join(filter(None, map(_markdown, renderables)))


def _csv(table: TitledTable) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    headers, *rows = table.records()
    writer.writerow(cell for header in headers for cell in _CSV_HEADERS.get(header, (header,)))
    for row in rows:
        cells = enumerate(zip(headers, row, strict=True))
        writer.writerow(
            value for column, cell in cells for value in _values(*cell, is_name=column == _NAME_COLUMN)
        )
    return out.getvalue().rstrip("\n")


def _values(header: str, cell: str, *, is_name: bool) -> Sequence[str]:
    """Return the CSV cells for a cell. A spreadsheet would read 1-0-2 and 1/3 as dates."""
    if header == "W-D-L":
        return cell.split("-")
    return [_harmless(cell) if is_name else cell.replace("/", " of ")]


def _harmless(name: str) -> str:
    """Put an apostrophe before a name that a spreadsheet would read as a formula."""
    return f"'{name}" if name.startswith(_FORMULA) else name


def _markdown(renderable: RenderableType) -> str:
    if isinstance(renderable, TitledTable):
        return "\n\n".join(filter(None, [_table(renderable.text_table()), _escaped(renderable.note)]))
    if isinstance(renderable, str):
        return _escaped(renderable).replace("\n", "  \n")
    drawing = as_text(renderable).rstrip("\n")
    return f"```text\n{drawing}\n```"


def _table(table: TextTable) -> str:
    if not table.headers:
        return ""
    rule = ["---:", ":---", *["---:"] * (len(table.headers) - 2)]
    return "\n".join(
        map(_row, [[_escaped(header) for header in table.headers], rule, *map(_cells, table.rows)])
    )


def _cells(row: Sequence[str]) -> list[str]:
    return [_escaped(cell) for cell in row]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", printable(text, keep="\n"))
