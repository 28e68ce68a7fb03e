"""A table that fits where it is printed: its width, its character set, no markup from names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

__all__ = ["PagedTable", "TextTable"]

_NARROWEST = 8
"""Cells of a name that are always shown."""

_HEAD = 3
"""Columns that are never left out."""


@dataclass(frozen=True, slots=True)
class TextTable:
    """A place, a name and numbers in every row.

    Names come from people and engines. They are shown as text whatever they hold, and cut when the table
    would be too wide otherwise; on a screen that is too narrow even so, the last columns are left out.

    Attributes:
        headers: the columns' names.
        rows: as many texts each as there are headers.
    """

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        rows = [
            self.headers,
            *(tuple(_showable(text, options.encoding) for text in row) for row in self.rows),
        ]
        widths = _widths(rows)
        while (
            len(widths) > _HEAD and sum(widths) - widths[1] + _NARROWEST + len(widths) - 1 > options.max_width
        ):
            widths.pop()  # a number that is cut would be another number
        gaps = len(widths) - 1
        wide = sum(widths) + 2 * gaps <= options.max_width
        room = max(options.max_width - (sum(widths) - widths[1]) - gaps, _NARROWEST)
        ellipsis = ".." if options.ascii_only else "…"
        table = Table(
            box=None, pad_edge=False, padding=(0, 1), collapse_padding=not wide, header_style="bold"
        )
        for index, header in enumerate(self.headers[: len(widths)]):
            table.add_column(Text(header), justify="left" if index == 1 else "right", no_wrap=True)
        for place, name, *numbers in (row[: len(widths)] for row in rows[1:]):
            table.add_row(*map(Text, (place, name if wide else _cut(name, room, ellipsis), *numbers)))
        yield table


class PagedTable:
    """A table with a column for each engine, in several parts if need be; nothing if there is no column.

    Args:
        head: place, name and what else is repeated in every part; a list of rows, the first are headers.
        columns: a list of columns, each with its header.
    """

    __slots__ = ("_columns", "_head")

    def __init__(self, head: Sequence[tuple[str, ...]], columns: Sequence[Sequence[str]]) -> None:
        self._head = head
        self._columns = columns

    def whole(self) -> TextTable:
        """All columns side by side, for where there is room."""
        rows = [(*head, *cells) for head, *cells in zip(self._head, *self._columns, strict=True)]
        return TextTable(rows[0], tuple(rows[1:]))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if not self._columns:
            return
        step = _columns_that_fit(self._head, self._columns, options.max_width)
        for first in range(0, len(self._columns), step):
            if first:
                yield ""
            rows = [
                (*head, *cells)
                for head, *cells in zip(self._head, *self._columns[first : first + step], strict=True)
            ]
            yield TextTable(rows[0], tuple(rows[1:]))


def _columns_that_fit(head: Sequence[Sequence[str]], columns: Sequence[Sequence[str]], width: int) -> int:
    """How many of ``columns`` fit beside the columns of ``head`` with the names cut; at least one.

    Args:
        head: place, name and whatever else is repeated in every part; a list of rows.
        columns: a list of columns.
        width: of the screen, in cells.
    """
    widths = _widths(head)
    used = sum(widths) - widths[1] + min(widths[1], max(width // 4, _NARROWEST)) + len(widths) - 1
    count = 0
    for column in columns:
        used += 1 + max(map(cell_len, column))
        if used > width:
            break
        count += 1
    return max(count, 1)


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(cell_len, column)) for column in zip(*rows, strict=True)]


def _showable(text: str, encoding: str) -> str:
    """Without what would move the cursor, and what the screen cannot show."""
    printable = "".join(character if character.isprintable() else "?" for character in text)
    return printable.encode(encoding, "replace").decode(encoding)


def _cut(text: str, room: int, ellipsis: str) -> str:
    if cell_len(text) <= room:
        return text
    return set_cell_size(text, room - cell_len(ellipsis)).rstrip() + ellipsis
