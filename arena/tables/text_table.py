"""Tables that fit the width and the encoding of the terminal, and print names without markup."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

__all__ = ["PagedTable", "TextTable"]

_MIN_NAME_WIDTH = 8
"""The cells of a name that are always shown."""

_MIN_COLUMNS = 3
"""The number of columns that are always shown."""


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table with a place, a name and numbers in every row.

    Names come from users and engines, and may contain any text, so they are printed without markup. If the
    table is too wide for the terminal, names are cut. If it is still too wide, the last columns are omitted.

    Attributes:
        headers: the names of the columns.
        rows: the rows, with one text for each header.
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
            len(widths) > _MIN_COLUMNS
            and sum(widths) - widths[1] + _MIN_NAME_WIDTH + len(widths) - 1 > options.max_width
        ):
            widths.pop()  # a number that is cut looks like another number
        gaps = len(widths) - 1
        wide = sum(widths) + 2 * gaps <= options.max_width
        room = max(options.max_width - (sum(widths) - widths[1]) - gaps, _MIN_NAME_WIDTH)
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
    """A table with a column for each engine. If it is too wide, it is printed in several parts.

    A table without columns prints nothing.

    Args:
        head: the first columns (place, name and others), row by row. Every part repeats them. The first row
            has the headers.
        columns: the other columns, each with its header.
    """

    __slots__ = ("_columns", "_head")

    def __init__(self, head: Sequence[tuple[str, ...]], columns: Sequence[Sequence[str]]) -> None:
        self._head = head
        self._columns = columns

    def whole(self) -> TextTable:
        """Return the table with all columns side by side."""
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
    """Return how many of ``columns`` fit beside ``head`` if the names are cut; at least one.

    Args:
        head: the first columns, row by row, as in `PagedTable`.
        columns: the other columns.
        width: the width of the terminal, in cells.
    """
    widths = _widths(head)
    used = sum(widths) - widths[1] + min(widths[1], max(width // 4, _MIN_NAME_WIDTH)) + len(widths) - 1
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
    """Replace control characters, and characters that the encoding lacks, with ``?``."""
    printable = "".join(character if character.isprintable() else "?" for character in text)
    return printable.encode(encoding, "replace").decode(encoding)


def _cut(text: str, room: int, ellipsis: str) -> str:
    if cell_len(text) <= room:
        return text
    return set_cell_size(text, room - cell_len(ellipsis)).rstrip() + ellipsis
