"""Boards of squares with grooves between them, in which walls stand."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from arena.web.boards.canvas import (
    EDGE,
    Box,
    Drawing,
    Place,
    Point,
    frame,
    label,
    marks,
    piece,
    rectangle,
    square,
)
from arena.web.boards.moves import paths
from referee.board import Grooves, Scene, Side, square_name

_SIDE = 36
_GAP = 8
_PITCH = _SIDE + _GAP
_BAND = 3  # the width of the strip that shows the goal of a player


def draw_grooves(board: Grooves, scene: Scene, move: str | None) -> Drawing:
    """Draw a position and its last move. A wall that was just placed stands out."""
    items = [_wall(board.rows, wall, new=wall == move) for wall in scene.walls]
    if move is not None and not board.has_wall(move):
        items += marks([_middle(board, place) for place in path if board.has(place)] for path in paths(move))
    items += [piece(board, key, *_middle(board, place)) for place, key in scene.pieces.items()]
    wide, high = _extent(board.columns), _extent(board.rows)
    box, rim = frame(-_GAP / 2, -_GAP / 2, wide + _GAP, high + _GAP)
    ground = rim + _ground(board.columns, board.rows, board.goals)
    return Drawing(f"on-{board.look}", box, ground, tuple(items), scene.caption)


def groove_places(board: Grooves, scene: Scene) -> Iterator[Place]:
    """Yield the squares from the top row to the bottom, and then the places of walls."""
    for row in reversed(range(board.rows)):
        for column in range(board.columns):
            name = square_name(column, row)
            key = scene.pieces.get(name)
            stands = "empty" if key is None else board.pieces[key].name
            box = (column * _PITCH, (board.rows - 1 - row) * _PITCH, _SIDE, _SIDE)
            yield Place(name, box, 2 * row, 2 * column, f"{name}, {stands}", empty=key is None)
    for row in reversed(range(board.rows - 1)):
        for column in range(board.columns - 1):
            name = square_name(column, row)
            above = f"above {name} and {square_name(column + 1, row)}"
            beside = f"right of {name} and {square_name(column, row + 1)}"
            for kind, where, at in (
                ("h", above, (2 * row + 1, 2 * column)),
                ("v", beside, (2 * row, 2 * column + 1)),
            ):
                wall = f"{name}{kind}"
                stands = "wall" if wall in scene.walls else "groove"
                label_text = f"{wall}, {stands} {where}"
                empty = wall not in scene.walls
                yield Place(wall, _wall_box(board.rows, wall), *at, label_text, between=True, empty=empty)


def _extent(count: int) -> int:
    return count * _PITCH - _GAP


def _middle(board: Grooves, place: str) -> Point:
    column, row = square(place)
    return column * _PITCH + _SIDE / 2, (board.rows - 1 - row) * _PITCH + _SIDE / 2


def _wall_box(rows: int, wall: str) -> Box:
    column, row = square(wall[:-1])
    left, top = column * _PITCH, (rows - 2 - row) * _PITCH
    length, thin = _PITCH + _SIDE, _GAP - 2
    if wall.endswith("h"):
        return left, top + _SIDE + 1, length, thin
    return left + _SIDE + 1, top, thin, length


@cache  # most walls are the same after every move
def _wall(rows: int, wall: str, *, new: bool) -> str:
    return rectangle(*_wall_box(rows, wall), "wall new" if new else "wall")


@cache
def _ground(columns: int, rows: int, goals: tuple[Side, ...]) -> str:
    """Return the squares, the grooves, the coordinates, and a strip for the goal of each player."""
    wide, high = _extent(columns), _extent(rows)
    parts = [rectangle(-_GAP / 2, -_GAP / 2, wide + _GAP, high + _GAP, "groove")]
    parts += [
        rectangle(column * _PITCH, row * _PITCH, _SIDE, _SIDE, "c1")
        for row in range(rows)
        for column in range(columns)
    ]
    edge = (EDGE + _GAP) / 2
    for step in range(max(columns, rows)):
        along = step * _PITCH + _SIDE / 2
        if step < rows:
            parts.append(label(-edge, along, str(rows - step), "co"))
        if step < columns:
            parts.append(label(along, high + edge, chr(ord("a") + step), "co"))
    before = -_GAP / 2 - _BAND - 1
    right, below = wide + _GAP / 2 + 1, high + _GAP / 2 + 1
    strips = {
        "top": (0, before, wide, _BAND),
        "right": (right, 0, _BAND, high),
        "bottom": (0, below, wide, _BAND),
        "left": (before, 0, _BAND, high),
    }
    parts += [rectangle(*strips[side], f"goal g{number}") for number, side in enumerate(goals, 1)]
    return "".join(parts)
