"""Boards of squares with pieces, given as letters in the rows of the position string."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from arena.web.boards.canvas import (
    EDGE,
    UNIT,
    BoardSquare,
    Drawing,
    disc,
    frame,
    label,
    line,
    marks,
    piece,
    rectangle,
    trails,
)

__all__ = [
    "CHESS",
    "ECLAIRCISSEMENT",
    "HOPS",
    "MOVERS_HOPPERS",
    "SquareBoard",
    "cells",
    "middle",
    "square_ground",
]


@dataclass(frozen=True, slots=True)
class SquareBoard:
    """The appearance of the boards of some games.

    Attributes:
        name: the class that gives the board its colours.
        columns, rows: the size of the board.
        look: returns the class of a square.
        pieces: the shapes, each with the class of its colours, that make up the piece of each letter.
        lines: elements on the ground, above the squares.
        caption: returns the caption for the rows of a position.
    """

    name: str
    columns: int
    rows: int
    look: Callable[[BoardSquare], str]
    pieces: Mapping[str, tuple[tuple[str, str], ...]]
    lines: tuple[str, ...] = ()
    caption: Callable[[list[str]], str] = lambda rows: ""

    def __call__(self, position: str, move: str | None) -> Drawing:
        """Draw a position and its last move."""
        lines = cells(position.split(maxsplit=1)[0])
        items = [] if move is None else self._marks(move)  # below the pieces, which stay whole
        for row, texts in enumerate(reversed(lines)):
            for column, letter in enumerate(texts):
                x, y = middle((column, row), self.rows)
                shapes = [piece(shape, x, y, look) for shape, look in self.pieces.get(letter, ())]
                if shapes:
                    items.append("".join(shapes))
        box, rim = frame(0, 0, self.columns * UNIT, self.rows * UNIT)
        ground = rim + _ground(self.columns, self.rows, self.look) + "".join(self.lines)
        return Drawing(f"on-{self.name}", box, ground, tuple(items), self.caption(lines))

    def _marks(self, move: str) -> list[str]:
        paths = [
            [
                middle(square, self.rows)
                for square in trail
                if square[0] < self.columns and square[1] < self.rows
            ]
            for trail in trails(move)
        ]
        return marks([path for path in paths if path])


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
        parts.append(label(-EDGE / 2, top + UNIT / 2, str(row + 1), "co"))
    parts += [
        label((column + 0.5) * UNIT, rows * UNIT + EDGE / 2, chr(ord("a") + column), "co")
        for column in range(columns)
    ]
    return "".join(parts)


@cache
def _ground(columns: int, rows: int, look: Callable[[BoardSquare], str]) -> str:
    return square_ground(columns, rows, look)


def _chequered(square: BoardSquare) -> str:
    return "c2" if sum(square) % 2 == 0 else "c1"


def _camps(square: BoardSquare) -> str:
    if 2 <= square[1] <= 5:
        return _chequered(square)
    return "c3" if square[1] < 2 else "c4"


def _centre(square: BoardSquare) -> str:
    return "c3" if square == (2, 2) else _chequered(square)


def _home_rows(square: BoardSquare) -> str:
    return {0: "c3", 6: "c4"}.get(square[1], _chequered(square))


def _lit(rows: list[str]) -> str:
    text = "".join(rows)
    lit = f"White {text.count('W')}, Red {text.count('R')}"
    return f"player 1 is White, player 2 Red; lit pawns have a sun: {lit}"


def _ball(rows: list[str]) -> str:
    gone = "" if re.search("[BR]", "".join(rows)) else "; the ball has gone out"
    return f"player 1 is Blue, player 2 Red{gone}"


MOVERS_HOPPERS = SquareBoard(
    "lane",
    3,
    8,
    _camps,
    {
        "M": (("round", "ivory"), ("cross", "ivory")),
        "H": (("round", "ivory"), ("arc", "ivory")),
        "m": (("block", "red"), ("cross", "red")),
        "h": (("block", "red"), ("arc", "red")),
    },
    tuple(line([(0, y), (3 * UNIT, y)], "inlay") for y in (2 * UNIT, 6 * UNIT)),
    lambda rows: "player 1 is White, player 2 Red; a cross is a mover, an arc a hopper",
)

ECLAIRCISSEMENT = SquareBoard(
    "night",
    5,
    5,
    _centre,
    {
        "w": (("round", "moth"),),
        "r": (("block", "ember"),),
        "W": (("glow", ""), ("round", "moth lit"), ("sun", "")),
        "R": (("glow", ""), ("block", "ember lit"), ("sun", "")),
    },
    (
        disc(2.5 * UNIT, 2.5 * UNIT, 24, "halo"),
        line(
            [
                (2.5 * UNIT, 2 * UNIT + 2),
                (3 * UNIT - 2, 2.5 * UNIT),
                (2.5 * UNIT, 3 * UNIT - 2),
                (2 * UNIT + 2, 2.5 * UNIT),
                (2.5 * UNIT, 2 * UNIT + 2),
            ],
            "lantern",
        ),
    ),
    _lit,
)

HOPS = SquareBoard(
    "pitch",
    7,
    7,
    _home_rows,
    {
        "b": (("ring", "sky"),),
        "r": (("diamond", "red"),),
        "B": (("round", "sky"), ("ball", "")),
        "R": (("block", "red"), ("ball", "")),
    },
    (
        disc(3.5 * UNIT, 3.5 * UNIT, 46, "inlay"),
        line([(0, UNIT), (7 * UNIT, UNIT)], "inlay"),
        line([(0, 6 * UNIT), (7 * UNIT, 6 * UNIT)], "inlay"),
    ),
    _ball,
)

CHESS = SquareBoard(
    "slate",
    8,
    8,
    _chequered,
    {
        letter: ((f"chess-{letter.lower()}", side),)
        for side, letters in (("light", "KQRBNP"), ("dark", "kqrbnp"))
        for letter in letters
    },
)
