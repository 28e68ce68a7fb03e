"""Boards of Rôdeurs: squares of two owners, and pawns of three colours without an owner."""

from __future__ import annotations

from functools import lru_cache

from arena.web.boards.canvas import UNIT, Drawing, disc, label, marks, trails
from arena.web.boards.squares import EDGE, cells, middle, square_ground
from protocol.plurals import counted

__all__ = ["rodeurs"]

_COLUMNS, _ROWS = 7, 9
_SQUARES = {"w": "square player-1", "b": "square player-2", "-": "square nobody"}
_PAWNS = {"g": "green", "y": "yellow", "r": "red"}
_POINTS = {"g": 1, "y": 2, "r": 3}


def rodeurs(position: str, move: str | None) -> Drawing:
    """Draw a position and its last move."""
    owners, board, _ = position.split()
    squares = owners.split("/")[::-1]
    pawns = cells(board)[::-1]
    items: list[str] = []
    if move is not None:
        paths = [[middle(square, _ROWS) for square in trail] for trail in trails(move)]
        items = marks(paths, UNIT - 4, "mark frame")  # the owner of the square stays visible
    points = {"w": 0, "b": 0, "-": 0}
    for row, letters in enumerate(pawns):
        for column, letter in enumerate(letters):
            if letter == ".":
                continue
            points[squares[row][column]] += _POINTS[letter]
            x, y = middle((column, row), _ROWS)
            look = _PAWNS[letter]
            items.append(disc(x, y, 13, f"piece {look}") + label(x, y, letter, f"on {look}"))
    box = (-EDGE, -1, _COLUMNS * UNIT + EDGE + 1, _ROWS * UNIT + EDGE + 1)
    return Drawing(
        box,
        _ground(tuple(squares)),
        tuple(items),
        f"light squares: player 1, {counted(points['w'], 'point')};"
        f" dark squares: player 2, {counted(points['b'], 'point')};"
        " fewer are better",
    )


@lru_cache(maxsize=8)
def _ground(squares: tuple[str, ...]) -> str:
    return square_ground(_COLUMNS, _ROWS, lambda square: _SQUARES[squares[square[1]][square[0]]])
