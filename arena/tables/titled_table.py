"""A table with its game id, its name and the note below it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from arena.tables.text_table import PagedTable, TextTable
from protocol.printable import printable

__all__ = ["TitledTable", "as_text", "heading"]

_WIDE = 200
"""The width, in columns, of the console for drawings."""


@dataclass(frozen=True, slots=True)
class TitledTable:
    """A table with the note below it.

    Attributes:
        game: the game id; ``""`` for all games together.
        name: the name of the table, one word.
        table: the table.
        note: the order of the rows and an explanation of the columns; may be empty.
    """

    game: str
    name: str
    table: TextTable | PagedTable
    note: str = ""

    def text_table(self) -> TextTable:
        """Return the table with all its columns side by side."""
        return self.table if isinstance(self.table, TextTable) else self.table.whole()

    def records(self) -> Iterator[tuple[str, ...]]:
        """Yield the headers and then the rows; each starts with the game id and the name of the table."""
        table = self.text_table()
        yield "game", "table", *table.headers
        for row in table.rows:
            yield self.game, self.name, *row

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.table
        if self.note:
            yield Text(self.note)


def heading(tournament: str | None) -> str:
    """Return what tables are about: a tournament, or all tournaments of a database (None)."""
    return "all tournaments" if tournament is None else f"tournament {printable(tournament)}"


def as_text(renderable: RenderableType) -> str:
    """Return the output on a terminal, without colours."""
    console = Console(width=_WIDE, color_system=None, force_terminal=False, markup=False, emoji=False)
    with console.capture() as captured:
        console.print(renderable)
    return captured.get()
