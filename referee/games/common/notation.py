"""Reads and writes the parts of position strings and move texts that most games share.

A position string has the rows of the board from the top down, with ``/`` between them. A letter is a piece,
and a digit is a number of empty squares. The functions here convert rows to and from *cells*: a string with
one character for each square, a letter or `EMPTY`, in the order of `referee.games.common.grid`. They accept
only text that is written exactly as the project prints it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
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
"""The character of an empty square in the cells of a board."""

_MAX_QUOTED = 20


def quoted(text: str) -> str:
    """A damaged text for a message: shortened, in ASCII and in quotation marks."""
    return ascii(text if len(text) <= _MAX_QUOTED else f"{text[:_MAX_QUOTED]}...")


# --- position strings --------------------------------------------------------------------------------------


def split_fields(text: str, names: Sequence[str]) -> list[str]:
    """The fields of a position string that has single spaces between them.

    Raises:
        PositionError: the number of fields is not the number of ``names``; `field` is ``position``.
    """
    fields = text.split(" ")
    if len(fields) != len(names) or "" in fields:
        expected = f"{len(names)} fields with single spaces between them ({', '.join(names)})"
        raise PositionError("position", f"{expected} were expected, not {quoted(text)}")
    return fields


def read_rows(text: str, grid: Grid, letters: str, field: str) -> str:
    """The cells of a board that is written in rows.

    Args:
        text: the rows, from the top row down.
        grid: the squares of the board.
        letters: the letters of the pieces.
        field: the name of the field in the documentation.

    Raises:
        PositionError: the rows are damaged; the error has this ``field``.
    """
    rows = text.split("/")
    if len(rows) != grid.rows:
        raise PositionError(field, f"{grid.rows} rows were expected, not {len(rows)}")
    cells = [
        _read_row(row, grid.columns, letters, field, number)
        for number, row in zip(range(grid.rows, 0, -1), rows, strict=True)
    ]
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
                field, f"{quoted(character)} in row {number} is neither one of {letters} nor a digit"
            )
    if len(cells) != columns:
        raise PositionError(
            field, f"row {number}, {quoted(text)}, has {counted(len(cells), 'square')}, not {columns}"
        )
    if _write_row(cells) != text:
        raise PositionError(field, f"row {number}, {quoted(text)}, must be written {_write_row(cells)}")
    return cells


def squares_with(letters: Collection[str], cells: str, grid: Grid) -> int:
    """The set of the squares whose cell is one of ``letters``."""
    return sum(bit for bit, cell in zip(grid.bit, cells, strict=True) if cell in letters)


def write_rows(cells: str, grid: Grid) -> str:
    """The rows of a board as text, from the top row down."""
    columns = grid.columns
    starts = range(columns * (grid.rows - 1), -1, -columns)
    return "/".join(_write_row(cells[start : start + columns]) for start in starts)


@lru_cache(maxsize=1024)  # most rows of a game's positions are alike
def _write_row(cells: str) -> str:
    return _EMPTY_SQUARES.sub(lambda match: str(len(match[0])), cells)


_EMPTY_SQUARES = re.compile(r"\.{1,9}")


# --- move texts --------------------------------------------------------------------------------------------


def check_move_text(text: str) -> None:
    """Reject a text that is too long for a move of any game.

    Raises:
        MoveSyntaxError: the text is too long.
    """
    if len(text) > MAX_MOVE_TEXT:
        raise MoveSyntaxError(f"a text longer than {MAX_MOVE_TEXT} characters is no move")


def read_path(text: str, grid: Grid) -> list[int]:
    """The squares of a path such as ``a1c1c3``: one or more names with nothing between them.

    Raises:
        MoveSyntaxError: the text is not a path.
    """
    numbers = []
    for start in range(0, max(len(text), 1), 2):
        name = text[start : start + 2]
        number = grid.square.get(name)
        if number is None:
            corner = grid.names[-1]
            raise MoveSyntaxError(
                f"{quoted(name)} in {quoted(text)} is no square: the squares are a1 to {corner}"
            )
        numbers.append(number)
    return numbers
