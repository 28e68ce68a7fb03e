"""Boards of squares with pieces, given as letters in the rows of the position string."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from arena.web.boards.canvas import UNIT, BoardSquare, Drawing, disc, label, marks, rectangle, trails

__all__ = [
    "CHESS",
    "ECLAIRCISSEMENT",
    "EDGE",
    "HOPS",
    "MOVERS_HOPPERS",
    "SquareBoard",
    "cells",
    "middle",
    "square_ground",
]

EDGE = 20
"""The width of the edge with the coordinates."""

_RADIUS = 15


@dataclass(frozen=True, slots=True)
class SquareBoard:
    """The appearance of the boards of some games.

    Attributes:
        columns, rows: the size of the board.
        look: returns the class of a square.
        pieces: the class of the disc, and the text on it, for the letter of each piece.
        top: the class and radius of a second disc on a piece, for the letters of some pieces.
        caption: returns the caption for the rows of a position.
    """

    columns: int
    rows: int
    look: Callable[[BoardSquare], str]
    pieces: Mapping[str, tuple[str, str]]
    top: Mapping[str, tuple[str, float]]
    caption: Callable[[list[str]], str] = lambda rows: ""

    def __call__(self, position: str, move: str | None) -> Drawing:
        """Draw a position and its last move."""
        lines = cells(position.split(maxsplit=1)[0])
        items = [] if move is None else self._marks(move)
        for row, texts in enumerate(reversed(lines)):
            for column, letter in enumerate(texts):
                if letter in self.pieces:
                    items += self._piece(letter, *middle((column, row), self.rows))
        ground = _ground(self.columns, self.rows, self.look)
        size = (self.columns * UNIT + EDGE + 1, self.rows * UNIT + EDGE + 1)
        return Drawing((-EDGE, -1, *size), ground, tuple(items), self.caption(lines))

    def _marks(self, move: str) -> list[str]:
        paths = [
            [
                middle(square, self.rows)
                for square in trail
                if square[0] < self.columns and square[1] < self.rows
            ]
            for trail in trails(move)
        ]
        return marks([path for path in paths if path], UNIT)

    def _piece(self, letter: str, x: float, y: float) -> list[str]:
        look, text = self.pieces[letter]
        element = disc(x, y, _RADIUS, f"piece {look}")
        if letter in self.top:
            inner, radius = self.top[letter]
            element += disc(x, y, radius, inner)
        if text:
            element += label(x, y, text, f"on {look}")
        return [element]


def cells(board: str) -> list[str]:
    """Return the rows from top to bottom, with a character for each square and ``.`` for an empty one."""
    return [re.sub(r"\d", lambda run: "." * int(run[0]), row) for row in board.split("/")]


def middle(square: BoardSquare, rows: int) -> tuple[float, float]:
    """Return the centre of a square on a board with this number of rows."""
    return (square[0] + 0.5) * UNIT, (rows - square[1] - 0.5) * UNIT


def square_ground(columns: int, rows: int, look: Callable[[BoardSquare], str]) -> str:
    """Return the squares of the board and their coordinates."""
    parts = []
    for row in range(rows):
        top = (rows - row - 1) * UNIT
        parts += [rectangle(column * UNIT, top, UNIT, UNIT, look((column, row))) for column in range(columns)]
        parts.append(label(-EDGE / 2, top + UNIT / 2, str(row + 1), "coordinate"))
    parts += [
        label((column + 0.5) * UNIT, rows * UNIT + EDGE / 2, chr(ord("a") + column), "coordinate")
        for column in range(columns)
    ]
    return "".join(parts)


@cache
def _ground(columns: int, rows: int, look: Callable[[BoardSquare], str]) -> str:
    return square_ground(columns, rows, look)


def _chequered(square: BoardSquare) -> str:
    return "square dark" if sum(square) % 2 == 0 else "square"


def _camps(square: BoardSquare) -> str:
    return "square" if 2 <= square[1] <= 5 else f"square {'white' if square[1] < 2 else 'red'}-home"


def _centre(square: BoardSquare) -> str:
    return "square centre" if square == (2, 2) else _chequered(square)


def _home_rows(square: BoardSquare) -> str:
    return {0: "square blue-home", 6: "square red-home"}.get(square[1], _chequered(square))


def _lit(rows: list[str]) -> str:
    text = "".join(rows)
    return f"player 1 is White, player 2 Red; lit, with a dot: White {text.count('W')}, Red {text.count('R')}"


def _ball(rows: list[str]) -> str:
    gone = "" if re.search("[BR]", "".join(rows)) else "; the ball has gone out"
    return f"player 1 is Blue, player 2 Red; the dot is the ball{gone}"


MOVERS_HOPPERS = SquareBoard(
    3,
    8,
    _camps,
    {"M": ("white", "M"), "H": ("white", "H"), "m": ("red", "M"), "h": ("red", "H")},
    {},
    lambda rows: "player 1 is White, player 2 Red; M mover, H hopper",
)

ECLAIRCISSEMENT = SquareBoard(
    5,
    5,
    _centre,
    {"w": ("white", ""), "r": ("red", ""), "W": ("white", ""), "R": ("red", "")},
    {"W": ("light", 8), "R": ("light", 8)},
    _lit,
)

HOPS = SquareBoard(
    7,
    7,
    _home_rows,
    {"b": ("blue", ""), "r": ("red", ""), "B": ("blue", ""), "R": ("red", "")},
    {"B": ("light", 8), "R": ("light", 8)},
    _ball,
)

CHESS = SquareBoard(
    8,
    8,
    _chequered,
    {
        letter: (colour, letter.upper())
        for colour, letters in (("white", "KQRBNP"), ("black", "kqrbnp"))
        for letter in letters
    },
    {},
)
