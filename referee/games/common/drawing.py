"""Draws rectangular boards as text for people, with a frame and the names of rows and columns."""

from __future__ import annotations

from collections.abc import Sequence

from referee.games.common.grid import Grid
from referee.games.common.notation import EMPTY

__all__ = ["draw_cells", "draw_grid"]


def draw_grid(cells: Sequence[str], grid: Grid, *, ascii_only: bool, width: int = 1) -> list[str]:
    """The lines of a board that has one cell for each square of a grid.

    Args:
        cells: the text of each cell, by square: up to ``width`` characters, centred. `EMPTY` becomes a dot.
        grid: the squares of the board.
        ascii_only: whether to use only ASCII characters.
        width: the number of characters of the widest cell.
    """
    dot = "." if ascii_only else "·"
    drawn = [dot if cell == EMPTY else cell for cell in cells]
    rows = [drawn[start : start + grid.columns] for start in range(0, len(drawn), grid.columns)]
    row_names = [str(row) for row in range(grid.rows, 0, -1)]
    column_names = [name[0] for name in grid.names[: grid.columns]]
    return draw_cells(rows[::-1], row_names, column_names, ascii_only=ascii_only, width=width)


def draw_cells(
    rows: Sequence[Sequence[str]],
    row_names: Sequence[str],
    column_names: Sequence[str],
    *,
    ascii_only: bool,
    width: int = 1,
) -> list[str]:
    """The lines of a board that is given as rows of cells.

    Args:
        rows: from the top row down, the text of each cell: up to ``width`` characters, centred.
        row_names: the name of each row, from the top down.
        column_names: the name of each column.
        ascii_only: whether to draw the frame with ``+``, ``-`` and ``|``.
        width: the number of characters of the widest cell.
    """
    margin = max(map(len, row_names))
    rim, side, corners = ("-", "|", "++++") if ascii_only else ("─", "│", "┌┐└┘")
    length = len(column_names) * (width + 1) + 1
    pad = " " * (margin + 2)
    lines = [f"{pad}{corners[0]}{rim * length}{corners[1]}"]
    for name, cells in zip(row_names, rows, strict=True):
        drawn = " ".join(cell.center(width) for cell in cells)
        lines.append(f" {name:>{margin}} {side} {drawn} {side}")
    lines.append(f"{pad}{corners[2]}{rim * length}{corners[3]}")
    lines.append(f"{pad}  {' '.join(name.center(width) for name in column_names)}".rstrip())
    return lines
