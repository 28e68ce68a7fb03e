"""The geometry of a rectangular board: squares as numbers and bits, directions, and what a jump goes over.

A square is a number: the row times the number of columns plus the column, both counted from 0, so that
``a1`` is 0. A set of squares is an int with the bit of each of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

__all__ = ["DIAGONAL", "EIGHT", "ORTHOGONAL", "Grid", "squares"]

ORTHOGONAL: Final = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""Steps of (columns, rows): up, right, down, left."""
DIAGONAL: Final = ((1, 1), (1, -1), (-1, -1), (-1, 1))
EIGHT: Final = (*ORTHOGONAL, *DIAGONAL)

Direction = tuple[int, int]


class Grid:
    """A board of ``columns`` by ``rows`` squares.

    Attributes:
        columns, rows: its size; at most 26 columns and 9 rows, so that a square's name has two characters.
        names: the squares' names by number: ``a1``, ``b1``, …
        square: the squares' numbers by name.
        bit: the bit of each square: quicker to look up than to shift.
        all: the set of all squares.

    Raises:
        ValueError: a size that has no names.
    """

    __slots__ = ("all", "bit", "columns", "names", "rows", "square")

    def __init__(self, columns: int, rows: int) -> None:
        if not (1 <= columns <= 26 and 1 <= rows <= 9):
            raise ValueError(f"a board of {columns} by {rows} squares has no names for them")
        self.columns: Final = columns
        self.rows: Final = rows
        letters = "abcdefghijklmnopqrstuvwxyz"[:columns]
        self.names: Final = tuple(f"{letter}{row}" for row in range(1, rows + 1) for letter in letters)
        self.square: Final = {name: number for number, name in enumerate(self.names)}
        self.bit: Final = tuple(1 << number for number in range(columns * rows))
        self.all: Final = (1 << columns * rows) - 1

    def step(self, square: int, direction: Direction, count: int = 1) -> int | None:
        """The square ``count`` steps away in a direction; None beyond the edge."""
        column = square % self.columns + count * direction[0]
        row = square // self.columns + count * direction[1]
        inside = 0 <= column < self.columns and 0 <= row < self.rows
        return row * self.columns + column if inside else None

    def neighbours(self) -> tuple[int, ...]:
        """By square: the set of the squares next to it."""
        found = [0] * len(self.names)
        for square in range(len(found)):
            for direction in EIGHT:
                target = self.step(square, direction)
                if target is not None:
                    found[square] |= self.bit[target]
        return tuple(found)

    def jumps(self, directions: Iterable[Direction]) -> tuple[tuple[tuple[int, int], ...], ...]:
        """By square: the jumps over one neighbour that stay on the board, as (square over, landing)."""
        found = []
        directions = tuple(directions)
        for square in range(len(self.names)):
            pairs = ((self.step(square, way), self.step(square, way, 2)) for way in directions)
            found.append(
                tuple((over, landing) for over, landing in pairs if over is not None and landing is not None)
            )
        return tuple(found)

    def set_of(self, names: str) -> int:
        """The set of squares named in ``names``, with spaces between them."""
        bits = 0
        for name in names.split():
            bits |= self.bit[self.square[name]]
        return bits


def squares(bits: int) -> list[int]:
    """The squares in a set, in ascending order: by row, then by column."""
    found = []
    while bits:
        low = bits & -bits
        found.append(low.bit_length() - 1)
        bits ^= low
    return found
