"""SVG elements for boards, as texts. The classes of the style sheet set their colours."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from html import escape

from referee.drawn_board import Board, Side

UNIT = 40  # the side of a square, in the units of the drawing
EDGE = 22  # the width of the frame on the left and below, where the coordinates are
RIM = 10  # the width of the frame on the other sides
BEYOND = 44  # the width of the frame beyond a goal, where a piece has room

SEAT_SHAPES = (("ring", "ivory"), ("diamond", "red"), ("wedge", "violet"), ("bars", "teal"))
"""The shape and the colours of each seat, in games that have no piece for it."""

Box = tuple[int, int, int, int]
"""Left, top, width and height."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Drawing:
    """The drawing of a position.

    The replay of a game changes only the items. Equal elements of two positions have equal texts.
    """

    look: str  # the class that gives the board its colours
    box: Box  # the visible area
    ground: str  # the elements that are the same in all positions of a game
    items: tuple[str, ...]  # the other elements, from the bottom layer to the top
    caption: str = ""  # facts that the board does not show, such as the walls in hand

    def small(self) -> Drawing:
        """Return the drawing with an even frame, for a picture that is too small for coordinates."""
        left, top, width, height = self.box
        extra = EDGE - RIM
        box = (left + extra, top, width - extra, height - extra)
        before, after = _rim(self.box), _rim(box)
        if before not in self.ground and before not in self.items:
            return self
        items = tuple(after if item == before else item for item in self.items)
        return replace(self, box=box, ground=self.ground.replace(before, after), items=items)


@dataclass(frozen=True, slots=True)
class Place:
    """A place of a board that moves name.

    Its row and column are for the arrow keys: higher rows are further up, and a place between two squares has
    an odd number.
    """

    name: str
    box: Box
    row: int
    column: int
    label: str  # the place and what stands on it, in words
    between: bool = False  # whether it is between squares, as the place of a wall
    empty: bool = False  # whether nothing stands on it
    piece: str = ""  # the key of the piece on it; "" for none
    bare: bool = False  # whether a tile is missing on it


def rectangle(left: float, top: float, width: float, height: float, look: str) -> str:
    """Return a rectangle with the class ``look``."""
    return f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" class="{look}"/>'


def disc(x: float, y: float, radius: float, look: str) -> str:
    """Return a circle with the class ``look``."""
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" class="{look}"/>'


def label(x: float, y: float, text: str, look: str) -> str:
    """Return a text with its centre at the point; the style sheet centres it."""
    return f'<text x="{x:g}" y="{y:g}" class="{look}">{escape(text)}</text>'


def line(points: Iterable[Point], look: str) -> str:
    """Return a line through points."""
    return f'<polyline points="{" ".join(f"{x:g},{y:g}" for x, y in points)}" class="{look}"/>'


def shape(name: str, x: float, y: float, look: str) -> str:
    """Return a shape of ``symbols.svg.j2`` at the point, in the colours of the class ``look``."""
    return f'<use href="#{name}" x="{x:g}" y="{y:g}" class="{look}"/>'


def piece(board: Board, key: str, x: float, y: float) -> str:
    """Return a piece of a board, with its centre at the point."""
    return "".join(shape(name, x, y, look) for name, look in board.pieces[key].shapes)


def square(name: str) -> tuple[int, int]:
    """Return the column and row of a named square, from 0."""
    return ord(name[0]) - ord("a"), int(name[1:]) - 1


def frame(
    left: float, top: float, width: float, height: float, goals: Collection[Side] = ()
) -> tuple[Box, str]:
    """Return the visible area of a board whose squares have this box, and its frame.

    There is room for a piece beyond each of the ``goals``.
    """
    rims: dict[Side, float] = {"left": EDGE, "top": RIM, "right": RIM, "bottom": EDGE}
    for side in goals:
        rims[side] += BEYOND - RIM
    x, y = round(left - rims["left"]), round(top - rims["top"])
    wide, high = round(width + rims["left"] + rims["right"]), round(height + rims["top"] + rims["bottom"])
    box = (x, y, wide, high)
    return box, _rim(box)


def _rim(box: Box) -> str:
    x, y, wide, high = box
    return f'<rect x="{x}" y="{y}" width="{wide}" height="{high}" rx="8" class="rim"/>'


def strong_line(points: Iterable[Point]) -> str:
    """Return a line that shows what decided a game."""
    drawn = line(points, "wins")
    return drawn.replace('"wins"', '"wins under"') + drawn


def strong_ring(x: float, y: float) -> str:
    """Return a ring round a piece that decided a game."""
    return disc(x, y, 16, "wins under") + disc(x, y, 16, "wins")


def marks(paths: Iterable[list[Point]], *, ends: bool = True) -> list[str]:
    """Return the marks of a move: a knob where it starts, a line along its path, and corners where it ends.

    Each mark has a dark and a light line, so it is seen on every ground and without colours. A path has the
    centres of the squares of one part of the move. The corners give way to marks of what decided the game.
    """
    items = []
    for path in paths:
        if len(path) > 1:
            items += [line(path, "trail under"), line(path, "trail"), disc(*path[0], 4, "knob")]
        if path and ends:
            items.append(shape("corners", *path[-1], "last"))
    return list(dict.fromkeys(items))


def union(boxes: Iterable[Box]) -> Box:
    """Return the smallest box that contains all boxes; there is at least one."""
    corners = [(left, top, left + width, top + height) for left, top, width, height in boxes]
    left, top = min(corner[0] for corner in corners), min(corner[1] for corner in corners)
    return left, top, max(corner[2] for corner in corners) - left, max(corner[3] for corner in corners) - top
