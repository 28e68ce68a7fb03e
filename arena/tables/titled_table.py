"""A table with what belongs to it: which game it is of, what it shows, how it is sorted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from arena.tables.text_table import PagedTable, TextTable

__all__ = ["TitledTable", "as_text"]

_WIDE = 200
"""Columns of a console for drawings made of characters."""


@dataclass(frozen=True, slots=True)
class TitledTable:
    """A table, and the sentence under it.

    Attributes:
        game: the game's id; "" for all games together.
        name: what it shows, in a word.
        table: itself.
        note: how it is sorted and what else is to be known; may be empty.
    """

    game: str
    name: str
    table: TextTable | PagedTable
    note: str = ""

    def grid(self) -> TextTable:
        """The table with all its columns side by side."""
        return self.table if isinstance(self.table, TextTable) else self.table.whole()

    def records(self) -> Iterator[tuple[str, ...]]:
        """Headers, then rows; each begins with the game and the table's name."""
        grid = self.grid()
        yield "game", "table", *grid.headers
        for row in grid.rows:
            yield self.game, self.name, *row

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.table
        if self.note:
            yield Text(self.note)


def as_text(part: RenderableType) -> str:
    """What the terminal would show, without its colours."""
    console = Console(width=_WIDE, color_system=None, force_terminal=False, markup=False, emoji=False)
    with console.capture() as captured:
        console.print(part)
    return captured.get()
