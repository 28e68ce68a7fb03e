"""Boards of Rôdeurs: squares of two owners, and pawns of three colours without an owner."""

from __future__ import annotations

from functools import lru_cache

from arena.web.boards.canvas import UNIT, Drawing, frame, marks, piece, trails
from arena.web.boards.squares import cells, middle, square_ground
from protocol.plurals import counted

__all__ = ["rodeurs"]

_COLUMNS, _ROWS = 7, 9
_SQUARES = {"w": "c1", "b": "c2", "-": "c3"}
_PAWNS = {"g": ("green", "pip-1"), "y": ("yellow", "pip-2"), "r": ("crimson", "pip-3")}
_POINTS = {"g": 1, "y": 2, "r": 3}


def rodeurs(position: str, move: str | None) -> Drawing:
    """Draw a position and its last move."""
    owners, board, _ = position.split()
    squares = owners.split("/")[::-1]
    pawns = cells(board)[::-1]
    items: list[str] = []
    if move is not None:
        items += marks([[middle(square, _ROWS) for square in trail] for trail in trails(move)])
    points = {"w": 0, "b": 0, "-": 0}
    for row, letters in enumerate(pawns):
        for column, letter in enumerate(letters):
            if letter == ".":
                continue
            points[squares[row][column]] += _POINTS[letter]
            x, y = middle((column, row), _ROWS)
            look, pips = _PAWNS[letter]
            items.append(piece("round", x, y, look) + piece(pips, x, y, look))
    box, rim = frame(0, 0, _COLUMNS * UNIT, _ROWS * UNIT)
    return Drawing(
        "on-street",
        box,
        rim + _ground(tuple(squares)),
        tuple(items),
        f"light squares: player 1, {counted(points['w'], 'point')};"
        f" dark squares: player 2, {counted(points['b'], 'point')};"
        " fewer are better",
    )


@lru_cache(maxsize=8)
def _ground(squares: tuple[str, ...]) -> str:
    return square_ground(_COLUMNS, _ROWS, lambda square: _SQUARES[squares[square[1]][square[0]]])
