"""The geometry of rectangular boards: squares, sets of squares as bits, steps and jumps.

A square is a number: the row times the number of columns, plus the column. Rows and columns count from 0, so
``a1`` is 0. A set of squares is an int in which bit n is set if square n is in the set (a bitboard).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

ORTHOGONAL: Final = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""Steps of (columns, rows): up, right, down, left."""
DIAGONAL: Final = ((1, 1), (1, -1), (-1, -1), (-1, 1))
EIGHT: Final = (*ORTHOGONAL, *DIAGONAL)

Direction = tuple[int, int]


class Grid:
    """A board of ``columns`` by ``rows`` squares.

    Attributes:
        columns, rows: the size; at most 26 columns and 9 rows, so that a square's name has two characters.
        names: the name of each square, by number: ``a1``, ``b1``, …
        square: the number of each square, by name.
        bit: the set of each square alone, by number; a look-up is faster than a shift.
        all: the set of all squares.

    Raises:
        ValueError: the board is too large for names of two characters, or has no squares.
    """

    __slots__ = ("all", "bit", "columns", "names", "rows", "square")

    def __init__(self, columns: int, rows: int) -> None:
        if not (1 <= columns <= 26 and 1 <= rows <= 9):
            raise ValueError(f"a board has 1 to 26 columns and 1 to 9 rows, not {columns} and {rows}")
        self.columns: Final = columns
        self.rows: Final = rows
        letters = "abcdefghijklmnopqrstuvwxyz"[:columns]
        self.names: Final = tuple(f"{letter}{row}" for row in range(1, rows + 1) for letter in letters)
        self.square: Final = {name: number for number, name in enumerate(self.names)}
        self.bit: Final = tuple(1 << number for number in range(columns * rows))
        self.all: Final = (1 << columns * rows) - 1

    def step(self, square: int, direction: Direction, count: int = 1) -> int | None:
        """The square ``count`` steps away in a direction; None if it is off the board."""
        column = square % self.columns + count * direction[0]
        row = square // self.columns + count * direction[1]
        inside = 0 <= column < self.columns and 0 <= row < self.rows
        return row * self.columns + column if inside else None

    def neighbours(self) -> tuple[int, ...]:
        """For each square, the set of the squares next to it."""
        neighbours = [0] * len(self.names)
        for square in range(len(neighbours)):
            for direction in EIGHT:
                target = self.step(square, direction)
                if target is not None:
                    neighbours[square] |= self.bit[target]
        return tuple(neighbours)

    def jumps(self, directions: Iterable[Direction]) -> tuple[tuple[tuple[int, int], ...], ...]:
        """For each square, the jumps over one neighbour that stay on the board: (square jumped, landing)."""
        jumps = []
        steps = tuple(directions)
        for square in range(len(self.names)):
            pairs = ((self.step(square, direction), self.step(square, direction, 2)) for direction in steps)
            jumps.append(
                tuple((over, landing) for over, landing in pairs if over is not None and landing is not None)
            )
        return tuple(jumps)

    def named_jumps(
        self, directions: Iterable[Direction]
    ) -> tuple[tuple[tuple[int, int, int, str], ...], ...]:
        """For each square, the jumps from it, in the order of their landings' names.

        A jump is the bit of the square jumped, and the bit, the number and the name of the landing.
        """
        return tuple(
            tuple(
                (self.bit[over], self.bit[landing], landing, self.names[landing])
                for over, landing in sorted(pairs, key=lambda pair: self.names[pair[1]])
            )
            for pairs in self.jumps(directions)
        )

    def in_columns(self, letters: str) -> int:
        """The set of the squares in the columns with these letters."""
        return sum(bit for bit, name in zip(self.bit, self.names, strict=True) if name[0] in letters)

    def set_of(self, names: str) -> int:
        """The set of the squares in ``names``, which has spaces between the names."""
        bits = 0
        for name in names.split():
            bits |= self.bit[self.square[name]]
        return bits


def squares(bits: int) -> list[int]:
    """The squares in a set, in ascending order: by row, then by column."""
    numbers = []
    while bits:
        lowest = bits & -bits
        numbers.append(lowest.bit_length() - 1)
        bits ^= lowest
    return numbers
