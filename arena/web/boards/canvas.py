"""SVG elements for boards, as texts. The classes of the style sheet set their colours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape

__all__ = [
    "EDGE",
    "RIM",
    "UNIT",
    "BoardSquare",
    "Box",
    "Drawing",
    "disc",
    "frame",
    "label",
    "line",
    "marks",
    "piece",
    "rectangle",
    "trails",
    "union",
]

UNIT = 40
"""The side of a square, in the units of the drawing."""

EDGE = 22
"""The width of the frame on the left and below, where the coordinates are."""

RIM = 10
"""The width of the frame on the other sides."""

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
        look: the class that gives the board its colours.
        box: the visible area.
        ground: the elements that are the same in all positions of a game.
        items: the other elements, from the bottom layer to the top.
        caption: a text for facts that the board does not show, such as the walls in hand; may be empty.
    """

    look: str
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


def piece(shape: str, x: float, y: float, look: str) -> str:
    """Return a shape of ``symbols.svg.j2`` at the point, in the colours of the class ``look``."""
    return f'<use href="#{shape}" x="{x:g}" y="{y:g}" class="{look}"/>'


def frame(left: float, top: float, width: float, height: float) -> tuple[Box, str]:
    """Return the visible area of a board and its frame.

    Args:
        left: the left side of the squares.
        top: their upper side.
        width: the width of all squares.
        height: the height of all squares.
    """
    box = (round(left - EDGE), round(top - RIM), round(width + EDGE + RIM), round(height + EDGE + RIM))
    x, y, wide, high = box
    return box, f'<rect x="{x}" y="{y}" width="{wide}" height="{high}" rx="8" class="rim"/>'


def marks(paths: list[list[tuple[float, float]]], shape: str = "corners") -> list[str]:
    """Return the marks of a move: a knob where it starts, a line along its path, and corners where it ends.

    Each mark has a dark and a light line, so it is seen on every ground and without colours.

    Args:
        paths: the centres of the squares of each part of the move.
        shape: the symbol at the end.
    """
    items = []
    for path in paths:
        if len(path) > 1:
            items += [line(path, "trail under"), line(path, "trail"), disc(*path[0], 4, "knob")]
        items.append(piece(shape, *path[-1], "last"))
    return list(dict.fromkeys(items))


def union(boxes: Iterable[Box]) -> Box:
    """Return the smallest box that contains all boxes; there is at least one."""
    corners = [(left, top, left + width, top + height) for left, top, width, height in boxes]
    left, top = min(corner[0] for corner in corners), min(corner[1] for corner in corners)
    return left, top, max(corner[2] for corner in corners) - left, max(corner[3] for corner in corners) - top
