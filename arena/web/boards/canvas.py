"""SVG elements for boards, as texts. The classes of the style sheet set their colours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape

__all__ = [
    "UNIT",
    "BoardSquare",
    "Box",
    "Drawing",
    "disc",
    "label",
    "line",
    "marks",
    "rectangle",
    "trails",
    "union",
]

UNIT = 40
"""The side of a square, in the units of the drawing."""

Box = tuple[int, int, int, int]
"""Left, top, width and height."""

BoardSquare = tuple[int, int]
"""The column and row of a square, from 0; the origin is at the lower left."""

_SQUARE = re.compile(r"([a-z])([1-9])")


@dataclass(frozen=True, slots=True)
class Drawing:
    """The drawing of a position.

    The replay of a game changes only the items. Equal elements of two positions have equal texts.

    Attributes:
        box: the visible area.
        ground: the elements that are the same in all positions of a game.
        items: the other elements, from the bottom layer to the top.
        caption: a text for facts that the board does not show, such as the walls in hand; may be empty.
    """

    box: Box
    ground: str
    items: tuple[str, ...]
    caption: str = ""


def rectangle(left: float, top: float, width: float, height: float, look: str) -> str:
    """Return a rectangle with the class ``look``."""
    return f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" class="{look}"/>'


def disc(x: float, y: float, radius: float, look: str) -> str:
    """Return a circle with the class ``look``."""
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" class="{look}"/>'


def label(x: float, y: float, text: str, look: str) -> str:
    """Return a text with its centre at the point; the style sheet centres it."""
    return f'<text x="{x:g}" y="{y:g}" class="{look}">{escape(text)}</text>'


def line(points: list[tuple[float, float]], look: str) -> str:
    """Return a line through points."""
    return f'<polyline points="{" ".join(f"{x:g},{y:g}" for x, y in points)}" class="{look}"/>'


def trails(move: str) -> Iterator[list[BoardSquare]]:
    """Yield the squares of each part of a move, in order. Commas separate the parts."""
    for part in move.split(","):
        squares = [(ord(column) - ord("a"), int(row) - 1) for column, row in _SQUARE.findall(part)]
        if squares:
            yield squares


def marks(paths: list[list[tuple[float, float]]], side: float, look: str = "mark") -> list[str]:
    """Return marks for the first and last square of a move, and a line for its path.

    Args:
        paths: the centres of the squares of each part of the move.
        side: the side of a square.
        look: the class of the marks.
    """
    items = []
    for path in paths:
        items += [rectangle(x - side / 2, y - side / 2, side, side, look) for x, y in (path[0], path[-1])]
        if len(path) > 1:
            items.append(line(path, "trail"))
    return list(dict.fromkeys(items))


def union(boxes: Iterable[Box]) -> Box:
    """Return the smallest box that contains all boxes; there is at least one."""
    corners = [(left, top, left + width, top + height) for left, top, width, height in boxes]
    left, top = min(corner[0] for corner in corners), min(corner[1] for corner in corners)
    return left, top, max(corner[2] for corner in corners) - left, max(corner[3] for corner in corners) - top
