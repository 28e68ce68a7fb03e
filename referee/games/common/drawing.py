"""Rectangular boards drawn for people: cells in a frame, with the names of rows and columns."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["draw_cells"]


def draw_cells(
    rows: Sequence[Sequence[str]],
    row_names: Sequence[str],
    column_names: Sequence[str],
    *,
    ascii_only: bool,
    width: int = 1,
) -> list[str]:
    """The lines of a board.

    Args:
        rows: from the top row down, the drawing of each cell: up to ``width`` characters, centred.
        row_names: one for each row, from the top down.
        column_names: one for each column.
        ascii_only: draw the frame with ``+``, ``-`` and ``|``.
        width: of the widest cell.
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
