"""Boards of Quoridor for two and four players: pawns, and walls between the squares."""

from __future__ import annotations

import re
from functools import cache

from arena.web.boards.canvas import (
    EDGE,
    BoardSquare,
    Box,
    Drawing,
    frame,
    label,
    marks,
    piece,
    rectangle,
    trails,
)

__all__ = ["SIZE", "quoridor", "square_box", "wall_box"]

SIZE = 9
_SIDE = 36
_GAP = 8
_PITCH = _SIDE + _GAP
_BAND = 3  # the width of the strip that shows the goal of a player
_PAWNS = (("ring", "ivory"), ("diamond", "red"), ("wedge", "violet"), ("bars", "teal"))
_EXTENT = SIZE * _PITCH - _GAP
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
    items: list[str] = []
    for walls, kind in ((flat, "h"), (upright, "v")):
        items += [
            _wall(column, row, kind, new=move == f"{column}{row}{kind}")
            for column, row in _WALL.findall(walls)
        ]
    items += marks(paths)
    items += [
        piece(shape, *_middle(square), look)
        for square, (shape, look) in zip(places, _PAWNS[: len(places)], strict=True)
    ]
    left = ", ".join(f"player {number}: {count}" for number, count in enumerate(hands.split(), 1))
    caption = f"walls left: {left}; {_GOALS[len(places)]}"
    box, rim = frame(-_GAP / 2, -_GAP / 2, _EXTENT + _GAP, _EXTENT + _GAP)
    return Drawing("on-wood", box, rim + _ground(len(places)), tuple(items), caption)


@cache
def _ground(players: int) -> str:
    around = _EXTENT + _GAP
    parts = [rectangle(-_GAP / 2, -_GAP / 2, around, around, "groove")]
    parts += [
        rectangle(column * _PITCH, row * _PITCH, _SIDE, _SIDE, "c1")
        for row in range(SIZE)
        for column in range(SIZE)
    ]
    edge = (EDGE + _GAP) / 2
    for step in range(SIZE):
        along = step * _PITCH + _SIDE / 2
        parts.append(label(-edge, along, str(SIZE - step), "co"))
        parts.append(label(along, _EXTENT + edge, chr(ord("a") + step), "co"))
    low = -_GAP / 2 - _BAND - 1
    high = _EXTENT + _GAP / 2 + 1
    top, bottom = (0, low, _EXTENT, _BAND), (0, high, _EXTENT, _BAND)
    right, left = (high, 0, _BAND, _EXTENT), (low, 0, _BAND, _EXTENT)
    sides = (top, bottom) if players == 2 else (top, right, bottom, left)
    parts += [rectangle(*side, f"goal g{number}") for number, side in enumerate(sides, 1)]
    return "".join(parts)


def _square(name: str) -> BoardSquare:
    return ord(name[0]) - ord("a"), int(name[1]) - 1


def _middle(square: BoardSquare) -> tuple[float, float]:
    return square[0] * _PITCH + _SIDE / 2, (SIZE - 1 - square[1]) * _PITCH + _SIDE / 2


def square_box(column: int, row: int) -> Box:
    """Return the box of a square."""
    return column * _PITCH, (SIZE - 1 - row) * _PITCH, _SIDE, _SIDE


def wall_box(column: int, row: int, kind: str) -> Box:
    """Return the box of the wall that starts at a square, above it (``h``) or to the right of it (``v``)."""
    left, top = column * _PITCH, (SIZE - 2 - row) * _PITCH
    length, thin = _PITCH + _SIDE, _GAP - 2
    if kind == "h":
        return left, top + _SIDE + 1, length, thin
    return left + _SIDE + 1, top, thin, length


@cache  # most walls are the same after every move
def _wall(column: str, row: str, kind: str, *, new: bool) -> str:
    """Return the wall that starts at the named square, above it (``h``) or to the right of it (``v``)."""
    box = wall_box(ord(column) - ord("a"), int(row) - 1, kind)
    return rectangle(*box, "wall new" if new else "wall")
