"""Position strings and move texts: the parts that most games share.

A board's rows are written from the top row down with ``/`` between them, a letter a piece and a digit for so
many empty squares. Cells are a string with one character a square: a letter, or `EMPTY`. They are numbered as
in `referee.games.common.grid`. What is not written as it would be printed is refused.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from protocol.plurals import counted
from referee.errors import MoveSyntaxError, PositionError
from referee.game import MAX_MOVE_TEXT
from referee.games.common.grid import Grid

__all__ = [
    "EMPTY",
    "check_move_text",
    "quoted",
    "read_path",
    "read_rows",
    "split_fields",
    "squares_with",
    "write_rows",
]

EMPTY: Final = "."
"""The character of an empty square among a board's cells."""

_SHOWN = 20


def quoted(text: str) -> str:
    """A damaged word for a message: short, printable, in quotation marks."""
    return ascii(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")


# --- position strings --------------------------------------------------------------------------------------


def split_fields(text: str, names: Sequence[str]) -> list[str]:
    """The fields of a position string, which have single spaces between them.

    Raises:
        PositionError: of the field ``position``: there are not as many as there are ``names``.
    """
    fields = text.split(" ")
    if len(fields) != len(names) or "" in fields:
        expected = f"{len(names)} fields with single spaces between them ({', '.join(names)})"
        raise PositionError("position", f"{expected} were expected, not {quoted(text)}")
    return fields


def read_rows(text: str, grid: Grid, letters: str, field: str) -> str:
    """The cells of a board written in rows.

    Args:
        text: the rows, from the top one down.
        grid: the board.
        letters: the characters that stand for pieces.
        field: what the field is called in the documentation.

    Raises:
        PositionError: of that field.
    """
    rows = text.split("/")
    if len(rows) != grid.rows:
        raise PositionError(field, f"{grid.rows} rows were expected, not {len(rows)}")
    cells = [_read_row(row, grid.columns, letters, field, grid.rows - down) for down, row in enumerate(rows)]
    return "".join(reversed(cells))


def _read_row(text: str, columns: int, letters: str, field: str, number: int) -> str:
    cells = ""
    for character in text:
        if character in letters:
            cells += character
        elif character in "123456789":
            cells += EMPTY * int(character)
        else:
            raise PositionError(
                field, f"{quoted(character)} in row {number} is none of {letters} and no digit"
            )
    if len(cells) != columns:
        raise PositionError(
            field, f"row {number}, {quoted(text)}, has {counted(len(cells), 'square')}, not {columns}"
        )
    if _write_row(cells) != text:
        raise PositionError(field, f"row {number}, {quoted(text)}, is to be written {_write_row(cells)}")
    return cells


def squares_with(letters: Collection[str], cells: str, grid: Grid) -> int:
    """The set of squares whose cell is one of ``letters``."""
    return sum(bit for bit, cell in zip(grid.bit, cells, strict=True) if cell in letters)


def write_rows(cells: str, grid: Grid) -> str:
    """The rows of a board, from the top one down."""
    columns = grid.columns
    starts = range(columns * (grid.rows - 1), -1, -columns)
    return "/".join(_write_row(cells[start : start + columns]) for start in starts)


def _write_row(cells: str) -> str:
    return _GAP.sub(lambda gap: str(len(gap[0])), cells)


_GAP = re.compile(r"\.{1,9}")


# --- move texts --------------------------------------------------------------------------------------------


def check_move_text(text: str) -> None:
    """Refuse a text that is too long to be a move of any game.

    Raises:
        MoveSyntaxError: it is.
    """
    if len(text) > MAX_MOVE_TEXT:
        raise MoveSyntaxError(f"a text longer than {MAX_MOVE_TEXT} characters is no move")


def read_path(text: str, grid: Grid) -> list[int]:
    """The squares of a path such as ``a1c1c3``: one or more names without anything between them.

    Raises:
        MoveSyntaxError: it is none.
    """
    numbers = []
    for start in range(0, max(len(text), 1), 2):
        name = text[start : start + 2]
        number = grid.square.get(name)
        if number is None:
            corner = grid.names[-1]
            raise MoveSyntaxError(f"{quoted(name)} in {quoted(text)} is no square; those are a1 to {corner}")
        numbers.append(number)
    return numbers
