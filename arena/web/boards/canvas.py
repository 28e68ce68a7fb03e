"""What boards are drawn with: pieces of SVG, as text, coloured by the classes of the style sheet."""

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
"""A square's column and row from 0, counted from the lower left."""

_SQUARE = re.compile(r"([a-z])([1-9])")


@dataclass(frozen=True, slots=True)
class Drawing:
    """A position, drawn.

    A game is replayed by changing the items alone, so what two positions have in common is the same text.

    Attributes:
        box: what is to be seen.
        ground: elements that are the same in all positions of a game.
        items: the others, from the bottom up.
        caption: what the board doesn't show, e.g. the walls in hand; may be empty.
    """

    box: Box
    ground: str
    items: tuple[str, ...]
    caption: str = ""


def rectangle(left: float, top: float, width: float, height: float, look: str) -> str:
    """A rectangle of a class."""
    return f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" class="{look}"/>'


def disc(x: float, y: float, radius: float, look: str) -> str:
    """A circle of a class."""
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" class="{look}"/>'


def label(x: float, y: float, text: str, look: str) -> str:
    """A text whose middle is there."""
    return f'<text x="{x:g}" y="{y:g}" class="{look}">{escape(text)}</text>'


def line(points: list[tuple[float, float]], look: str) -> str:
    """A line through points."""
    return f'<polyline points="{" ".join(f"{x:g},{y:g}" for x, y in points)}" class="{look}"/>'


def trails(move: str) -> Iterator[list[BoardSquare]]:
    """The squares of each part of a move, in order; parts are separated by commas."""
    for part in move.split(","):
        found = [(ord(column) - ord("a"), int(row) - 1) for column, row in _SQUARE.findall(part)]
        if found:
            yield found


def marks(paths: list[list[tuple[float, float]]], side: float, look: str = "mark") -> list[str]:
    """Where a move began and ended, and the way between: for the squares with these middles."""
    items = []
    for path in paths:
        items += [rectangle(x - side / 2, y - side / 2, side, side, look) for x, y in (path[0], path[-1])]
        if len(path) > 1:
            items.append(line(path, "trail"))
    return list(dict.fromkeys(items))


def union(boxes: Iterable[Box]) -> Box:
    """The smallest box around all of them; there is at least one."""
    corners = [(left, top, left + width, top + height) for left, top, width, height in boxes]
    left, top = min(corner[0] for corner in corners), min(corner[1] for corner in corners)
    return left, top, max(corner[2] for corner in corners) - left, max(corner[3] for corner in corners) - top
