"""Tables that fit the width and the encoding of the terminal, and the same tables as CSV and Markdown."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TypeVar

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from protocol.words import printable

MIN_NAME_WIDTH = 8  # the cells of a name that are always shown
_MIN_COLUMNS = 3  # the number of columns that are always shown


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table with a place, a name and numbers in every row, printed without markup.

    If it is too wide for the terminal, names are cut, and then the last columns are omitted. A table with a
    column for each engine is cut into parts, which repeat the ``fixed`` columns.
    """

    game: str  # the id; "" for all games together
    name: str  # one word
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""  # below it
    groups: tuple[int | None, ...] = ()  # of the rows, as for `in_groups`; empty for a table without groups
    fixed: int | None = None  # None for a table that has no parts

    def sections(self) -> list[tuple[str, list[tuple[str, ...]]]]:
        """Return the rows under the headings of `in_groups`."""
        return in_groups(self.groups, self.rows)

    def shown(self) -> Iterator[tuple[str, ...]]:
        """Yield the rows; the heading of a group is a row without a place and numbers."""
        for heading, rows in self.sections():
            if heading:
                yield ("", heading, *[""] * (len(self.headers) - 2))
            yield from rows

    def records(self) -> Iterator[tuple[str, ...]]:
        """Yield the headers and then the rows.

        Each starts with the game id and the name of the table, and with the group if there are several.
        """
        several = any(self.groups)
        yield "game", "table", *(("group",) if several else ()), *self.headers
        for number, row in enumerate(self.rows):
            group = (str(self.groups[number] or ""),) if several else ()
            yield self.game, self.name, *group, *row

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        rows = [
            self.headers,
            *(tuple(showable(text, options.encoding) for text in row) for row in self.shown()),
        ]
        if self.fixed is None:
            yield _grid(rows, options)
        else:
            step = _columns_that_fit(_widths(rows), self.fixed, options.max_width)
            for first in range(self.fixed, len(self.headers), step):
                if first > self.fixed:
                    yield ""
                yield _grid([row[: self.fixed] + row[first : first + step] for row in rows], options)
        if self.note:
            yield Text(self.note)


def _grid(rows: Sequence[tuple[str, ...]], options: ConsoleOptions) -> Table:
    """Return headers and rows without the last columns that do not fit."""
    widths = _widths(rows)
    while (
        len(widths) > _MIN_COLUMNS
        and sum(widths) - widths[1] + MIN_NAME_WIDTH + len(widths) - 1 > options.max_width
    ):
        widths.pop()  # a number that is cut looks like another number
    gaps = len(widths) - 1
    wide = sum(widths) + 2 * gaps <= options.max_width
    room = max(options.max_width - (sum(widths) - widths[1]) - gaps, MIN_NAME_WIDTH)
    ellipsis = ".." if options.ascii_only else "…"
    table = Table(box=None, pad_edge=False, padding=(0, 1), collapse_padding=not wide, header_style="bold")
    headers, *others = (row[: len(widths)] for row in rows)
    for index, header in enumerate(headers):
        table.add_column(Text(header), justify="left" if index == 1 else "right", no_wrap=True)
    for place, name, *numbers in others:
        table.add_row(*map(Text, (place, name if wide else cut_cells(name, room, ellipsis), *numbers)))
    return table


_Row = TypeVar("_Row")


def in_groups(groups: Sequence[int | None], rows: Sequence[_Row]) -> list[tuple[str, list[_Row]]]:
    """Return rows under the headings of their groups, the numbers of which are in order.

    The group of a row is None if the engine is not rated. If all are None, or there are none, there is one
    part, without a heading.
    """
    if not any(groups):
        return [("", list(rows))]
    headings = ["not rated" if group is None else f"group {group}" for group in groups]
    return [
        (heading, [row for _, row in part])
        for heading, part in groupby(zip(headings, rows, strict=True), key=itemgetter(0))
    ]


def _columns_that_fit(widths: Sequence[int], fixed: int, room: int) -> int:
    """Return how many columns fit beside the fixed ones if the names are cut, and 1 if none does."""
    head = widths[:fixed]
    used = sum(head) - head[1] + min(head[1], max(room // 4, MIN_NAME_WIDTH)) + fixed - 1
    count = 0
    for width in widths[fixed:]:
        used += 1 + width
        if used > room:
            break
        count += 1
    return max(count, 1)


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(cell_len, column)) for column in zip(*rows, strict=True)]


def showable(text: str, encoding: str) -> str:
    """Replace control characters, and characters that the encoding lacks, with ``?``."""
    printable = "".join(character if character.isprintable() else "?" for character in text)
    return printable.encode(encoding, "replace").decode(encoding)


def cut_cells(text: str, room: int, ellipsis: str) -> str:
    """Return a text, cut if it needs more cells than there is room."""
    if cell_len(text) <= room:
        return text
    return set_cell_size(text, room - cell_len(ellipsis)).rstrip() + ellipsis


_WIDE = 1000  # columns, so that nothing is wrapped or cut


def numbered(
    game: str, name: str, headers: Sequence[str], rows: Iterable[Sequence[str]], note: str = ""
) -> TextTable:
    """Return a table with a first column of the numbers of its rows, from 1."""
    counted = tuple((str(number), *row) for number, row in enumerate(rows, 1))
    return TextTable(game, name, ("#", *headers), counted, note)


def heading(tournament: str | None) -> str:
    """Return what tables are about: a tournament, or all tournaments of a database (None)."""
    name = printable(tournament or "all tournaments")
    return name if "tournament" in name else f"tournament {name}"


def as_text(renderable: RenderableType) -> str:
    """Return what a table, a drawing or a text is in a file or a pipe."""
    console = Console(width=_WIDE, color_system=None, force_terminal=False, markup=False, emoji=False)
    with console.capture() as captured:
        console.print(renderable)
    return captured.get()


_CSV_HEADERS = {"W-D-L": ("wins", "draws", "losses"), "+-95%": ("error",), "95 %": ("least", "most")}
"""The headers that have another name in CSV, or several: the dash between their values looks like a date."""

_SAFE = re.compile(r"([<>+-]?\d+(\.\d+)?|\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?)?")
"""The cells of numbers and times, which a spreadsheet reads as what they are."""

_PERCENT = re.compile(r"([<>]?)(\d+) %")

_SHARE = re.compile(r"(\d+(?:\.\d+)?)/(\d+)")  # points/games

_SPECIAL = re.compile(r"([\\`*_\[\]<>|&#~])")

_MONTHS = (
    "jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?"
    "|dec(ember)?"
)
_ANOTHER_VALUE = re.compile(
    r"[=+@\t\r-].*"  # a formula
    r"|(?![1-9]\d{0,14}$|0$)(?=\D*\d)[\W\d_]+"  # 1-2, 3/4, 1:30, 007, 10%; 12 stays itself
    r"|[\W\d_]*\d[\W\d_]*e[+-]?\d+"  # 1e5
    r"|[\d.:]+ ?[ap]m?"  # 1 pm
    rf"|(?=\D*\d)[\W\d_]*({_MONTHS})[\W\d_]*"  # Mar1, 1-Mar
    r"|\d{1,4}[-/. ]+[^\W\d_]{3,9}\.?([-/. ]+\d{1,4})?"  # 1-avr, 2. Mai 2026
    r"|true|false",
    re.IGNORECASE | re.DOTALL,
)
"""The texts that a spreadsheet reads as something else: formulas, dates, times, numbers."""


def as_csv(renderables: Iterable[RenderableType]) -> str:
    """Return all tables as CSV, each with its headers, and with an empty line between two tables."""
    return "\n\n".join(_csv(table) for table in renderables if isinstance(table, TextTable) and table.headers)


def as_markdown(renderables: Iterable[RenderableType]) -> str:
    """Return sentences, tables and drawings as Markdown without a line break at the end."""
    return "\n\n".join(filter(None, map(_markdown, renderables)))


def _csv(table: TextTable) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    headers, *rows = table.records()
    texts = {table.headers[1], "tournament"}
    writer.writerow(cell for header in headers for cell in _CSV_HEADERS.get(header, (header,)))
    for row in rows:
        cells = zip(headers, row, strict=True)
        writer.writerow(value for header, cell in cells for value in _values(header, cell, texts))
    return out.getvalue().rstrip("\n")


def _values(header: str, cell: str, texts: Collection[str]) -> Sequence[str]:
    """Return the CSV cells for a cell; columns with these headers hold any text."""
    if len(_CSV_HEADERS.get(header, ())) > 1:
        unit = " %" if cell.endswith(" %") else ""
        return [_percent_as_share(part + unit) for part in cell.removesuffix(unit).split("-")]
    if header not in texts:
        cell = _percent_as_share(cell)
        if _SAFE.fullmatch(cell):
            return [cell]
        if share := _SHARE.fullmatch(cell):
            return [f"{share[1]} of {share[2]}"]
    return [harmless(cell)]


def _percent_as_share(cell: str) -> str:
    """Return 0.67 for 67 %, because not every program reads a percentage as a number."""
    percent = _PERCENT.fullmatch(cell)
    return cell if percent is None else f"{percent[1]}{int(percent[2]) / 100:.2f}"


def harmless(name: str) -> str:
    """Put an apostrophe before a name that a spreadsheet would read as a formula, a date or a number."""
    return f"'{name}" if _ANOTHER_VALUE.fullmatch(name) else name


def _markdown(renderable: RenderableType) -> str:
    if isinstance(renderable, TextTable):
        return "\n\n".join(filter(None, [_table(renderable), escaped(renderable.note)]))
    if isinstance(renderable, str):
        return escaped(renderable).replace("\n", "  \n")
    drawing = as_text(renderable).rstrip("\n")
    return f"```text\n{drawing}\n```"


def _table(table: TextTable) -> str:
    if not table.headers:
        return ""
    rows = [[escaped(cell) for cell in row] for row in (table.headers, *table.shown())]
    rows.insert(1, ["---:", ":---", *["---:"] * (len(table.headers) - 2)])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def escaped(text: str) -> str:
    """Return a text as Markdown shows it."""
    return _SPECIAL.sub(r"\\\1", printable(text, keep="\n"))
