"""Boards of Quoridor for two and four players: pawns, and walls between the squares."""

from __future__ import annotations

import re
from functools import cache

from arena.web.boards.canvas import BoardSquare, Drawing, disc, label, marks, rectangle, trails

__all__ = ["quoridor"]

_SIZE = 9
_SIDE = 36
_GAP = 8
_PITCH = _SIDE + _GAP
_EDGE = 20  # the width of the edge with the coordinates
_BAND = 5  # the width of the strip that shows the goal of a player
_EXTENT = _SIZE * _PITCH - _GAP
_WALL = re.compile(r"([a-h])([1-8])")
_GOALS = {
    2: "goals: player 1 top, 2 bottom",
    4: "goals: player 1 top, 2 right, 3 bottom, 4 left",
}


def quoridor(position: str, move: str | None) -> Drawing:
    """Draw a position and its last move."""
    flat, upright, pawns, hands, _ = (field.strip() for field in position.split("/"))
    places = [_square(pawn) for pawn in pawns.split()]
    pawn_move = move is not None and move[-1].isdigit()
    paths = [[_middle(square) for square in trail] for trail in trails(move)] if move and pawn_move else []
    items = marks(paths, _SIDE)
    for walls, kind in ((flat, "h"), (upright, "v")):
        items += [
            _wall(column, row, kind, new=move == f"{column}{row}{kind}")
            for column, row in _WALL.findall(walls)
        ]
    for number, square in enumerate(places, 1):
        x, y = _middle(square)
        items.append(disc(x, y, 14, f"piece p{number}") + label(x, y, str(number), f"on p{number}"))
    box = (-_EDGE - _BAND, -_BAND - 3, _EXTENT + _EDGE + 2 * _BAND + 3, _EXTENT + _EDGE + 2 * _BAND + 3)
    left = ", ".join(f"player {number}: {count}" for number, count in enumerate(hands.split(), 1))
    caption = f"walls left: {left}; {_GOALS[len(places)]}"
    return Drawing(box, _ground(len(places)), tuple(items), caption)


@cache
def _ground(players: int) -> str:
    parts = [rectangle(0, 0, _EXTENT, _EXTENT, "groove")]
    parts += [
        rectangle(column * _PITCH, row * _PITCH, _SIDE, _SIDE, "square")
        for row in range(_SIZE)
        for column in range(_SIZE)
    ]
    for step in range(_SIZE):
        along = step * _PITCH + _SIDE / 2
        parts.append(label(-_EDGE / 2 - _BAND, along, str(_SIZE - step), "coordinate"))
        parts.append(label(along, _EXTENT + _EDGE / 2 + _BAND, chr(ord("a") + step), "coordinate"))
    top, bottom = (0, -_BAND - 2, _EXTENT, _BAND), (0, _EXTENT + 2, _EXTENT, _BAND)
    right, left = (_EXTENT + 2, 0, _BAND, _EXTENT), (-_BAND - 2, 0, _BAND, _EXTENT)
    sides = (top, bottom) if players == 2 else (top, right, bottom, left)
    parts += [rectangle(*side, f"goal p{number}") for number, side in enumerate(sides, 1)]
    return "".join(parts)


def _square(name: str) -> BoardSquare:
    return ord(name[0]) - ord("a"), int(name[1]) - 1


def _middle(square: BoardSquare) -> tuple[float, float]:
    return square[0] * _PITCH + _SIDE / 2, (_SIZE - 1 - square[1]) * _PITCH + _SIDE / 2


@cache  # most walls are the same after every move
def _wall(column: str, row: str, kind: str, *, new: bool) -> str:
    """Return the wall that starts at the named square, above it (``h``) or to the right of it (``v``)."""
    left, top = (ord(column) - ord("a")) * _PITCH, (_SIZE - 1 - int(row)) * _PITCH
    look = "wall new" if new else "wall"
    length, thin = _PITCH + _SIDE, _GAP - 2
    if kind == "h":
        return rectangle(left, top + _SIDE + 1, length, thin, look)
    return rectangle(left + _SIDE + 1, top, thin, length, look)
