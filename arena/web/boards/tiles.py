"""Boards of tiles on an unlimited plane, with their coordinates in the frame."""

from __future__ import annotations

from collections.abc import Iterator

from arena.web.boards.canvas import (
    EDGE,
    UNIT,
    Drawing,
    Place,
    Point,
    frame,
    label,
    marks,
    piece,
    rectangle,
)
from arena.web.boards.moves import TAKEN, paths
from referee.board import Scene, Tiles

_TO_EDGE = (UNIT + EDGE) / 2
"""From the centre of a place to the centre of its coordinate in the frame."""


def draw_tiles(board: Tiles, scene: Scene, move: str | None) -> Drawing:
    """Draw a position and its last move."""
    places = [_at(tile) for tile in scene.tiles]
    (left, wide), (low, high) = (_extent({place[axis] for place in places}) for axis in (0, 1))
    box, rim = frame(left * UNIT, -(low + high) * UNIT, wide * UNIT, high * UNIT)
    items = [rim]
    items += [label(*_middle(x, low, down=1), str(x), "co") for x in range(left, left + wide)]
    items += [label(*_middle(left, y, aside=1), str(y), "co") for y in range(low, low + high)]
    items += [_tile(*place) for place in places]
    items += [] if move is None else _marks(move)
    items += [piece(board, key, *_middle(*_at(place))) for place, key in scene.pieces.items()]
    return Drawing(f"on-{board.look}", box, "", tuple(items), scene.caption)


def tile_places(board: Tiles, scene: Scene) -> Iterator[Place]:
    """Yield the tiles, and the places around them where a tile can be laid, from the top row down."""
    columns, rows = ({_at(tile)[axis] for tile in scene.tiles} for axis in (0, 1))
    for y in range(max(rows) + 1, min(rows) - 2, -1):
        for x in range(min(columns) - 1, max(columns) + 2):
            name = f"{x},{y}"
            key = scene.pieces.get(name)
            ground = "empty" if name in scene.tiles else "no tile"
            stands = ground if key is None else board.pieces[key].name
            box = (x * UNIT, -(y + 1) * UNIT, UNIT, UNIT)
            yield Place(name, box, 2 * y, 2 * x, f"{name}, {stands}", empty=key is None)


def _at(place: str) -> tuple[int, int]:
    x, y = map(int, place.split(","))
    return x, y


def _extent(numbers: set[int]) -> tuple[int, int]:
    """Return the least number, and how many integers there are from the least to the greatest."""
    return min(numbers), max(numbers) - min(numbers) + 1


def _marks(move: str) -> list[str]:
    """Return the marks for the move of a piece, and the hole that a removed tile leaves."""
    way, _, taken = move.partition(TAKEN)
    items = marks([_middle(*_at(place)) for place in path] for path in paths(way))
    if taken:
        x, y = _middle(*_at(taken))
        items.append(rectangle(x - UNIT / 2 + 3, y - UNIT / 2 + 3, UNIT - 6, UNIT - 6, "hole"))
    return items


def _middle(x: int, y: int, aside: int = 0, down: int = 0) -> Point:
    """Return the centre of a place, or of the coordinate beside or below it."""
    return (x + 0.5) * UNIT - aside * _TO_EDGE, -(y + 0.5) * UNIT + down * _TO_EDGE


def _tile(x: int, y: int) -> str:
    look = "c2" if (x + y) % 2 else "c1"
    return rectangle(x * UNIT + 1.5, -(y + 1) * UNIT + 1.5, UNIT - 3, UNIT - 3, f"tile {look}")
