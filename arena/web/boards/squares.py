"""Boards of squares side by side."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from arena.web.boards.canvas import (
    EDGE,
    UNIT,
    Drawing,
    Place,
    Point,
    disc,
    frame,
    label,
    line,
    marks,
    piece,
    rectangle,
    square,
)
from arena.web.boards.moves import paths
from referee.board import Disc, Line, Scene, Squares, chequered, square_name


def draw_squares(board: Squares, scene: Scene, move: str | None) -> Drawing:
    """Draw a position and its last move, which is below the pieces, so that they stay whole."""
    trails = [] if move is None else [list(filter(board.has, path)) for path in paths(move)]
    items = marks([_middle(board, place) for place in trail] for trail in trails)
    for place in sorted(scene.pieces, key=lambda name: square(name)[::-1]):
        items.append(piece(board, scene.pieces[place], *_middle(board, place)))
    box, rim = frame(0, 0, board.columns * UNIT, board.rows * UNIT)
    ground = _ground(_colours(board, scene)) + _drawn(board.drawn)
    return Drawing(f"on-{board.look}", box, rim + ground, tuple(items), scene.caption)


def square_places(board: Squares, scene: Scene) -> Iterator[Place]:
    """Yield the squares from the top row to the bottom, with what stands on them."""
    for row, colours in zip(reversed(range(board.rows)), _colours(board, scene), strict=True):
        for column in range(board.columns):
            name = square_name(column, row)
            key = scene.pieces.get(name)
            stands = "empty" if key is None else board.pieces[key].name
            if key is not None and board.grounds:
                stands += f" on a {board.grounds[colours[column]]}"
            box = (column * UNIT, (board.rows - 1 - row) * UNIT, UNIT, UNIT)
            yield Place(name, box, 2 * row, 2 * column, f"{name}, {stands}", empty=key is None)


def _colours(board: Squares, scene: Scene) -> tuple[str, ...]:
    return scene.ground or board.ground or chequered(board.columns, board.rows)


def _middle(board: Squares, place: str) -> Point:
    column, row = square(place)
    return (column + 0.5) * UNIT, (board.rows - row - 0.5) * UNIT


@cache
def _ground(colours: tuple[str, ...]) -> str:
    """Return the squares of the board and their coordinates."""
    rows, columns = len(colours), len(colours[0])
    parts = []
    for row in range(rows):
        top = (rows - row - 1) * UNIT
        parts += [
            rectangle(column * UNIT, top, UNIT, UNIT, f"c{colour}")
            for column, colour in enumerate(colours[-1 - row])
        ]
        parts.append(label(-EDGE / 2, top + UNIT / 2, str(row + 1), "co"))
    parts += [
        label((column + 0.5) * UNIT, rows * UNIT + EDGE / 2, chr(ord("a") + column), "co")
        for column in range(columns)
    ]
    return "".join(parts)


@cache
def _drawn(items: tuple[Line | Disc, ...]) -> str:
    return "".join(
        line([(x * UNIT, y * UNIT) for x, y in item.points], item.look)
        if isinstance(item, Line)
        else disc(item.x * UNIT, item.y * UNIT, item.radius * UNIT, item.look)
        for item in items
    )
