"""Quatre en ligne's drifting board: sets of places as bits in a window that goes with the tiles; the players.

The window has 24 by 24 places. The tiles' bounding box, at most 20 by 20 since all tiles hang together, has
its lower left corner at column and row 2 of it: there is room for a tile laid beside the box and for that
tile's own neighbours, so no shift carries a bit from one row into the next. A square is the number of a place
in the window, and a set of squares an int with the bit of each, as in `referee.games.common.grid`.

Source: rule sheet 003.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "BIT",
    "FARTHEST",
    "MARGIN",
    "NUMBER",
    "PIECES",
    "PLAYERS",
    "SIZE",
    "TILES",
    "Coordinates",
    "beside",
    "drift",
    "free_sides",
    "has_line",
    "holds_together",
    "moved",
    "named",
    "named_places",
    "reach",
    "splits",
]

Coordinates = tuple[int, int]
"""The coordinates x and y."""

PLAYERS: Final = ("White", "Red")
"""By seat."""
PIECES: Final = 6
"""How many pieces a player has."""

SIZE: Final = 24
MARGIN: Final = 2
TILES: Final = 20
FARTHEST: Final = 999_999
"""No coordinate is greater, and none is less than its negative."""
NUMBER: Final = r"(0|-?[1-9][0-9]{0,5})"
"""A coordinate as it is printed: no plus sign, no leading zeros, no minus before a zero."""

BIT: Final = tuple(1 << square for square in range(SIZE * SIZE))

_STEPS: Final = (1, -1, SIZE, -SIZE, SIZE + 1, SIZE - 1, 1 - SIZE, -1 - SIZE)
_CENTRE = SIZE + 1
_RING = sum(1 << _CENTRE + step for step in _STEPS)
_CROSS = sum(1 << _CENTRE + step for step in _STEPS[:4])
_FIRST_COLUMN = sum(BIT[SIZE * row + MARGIN] for row in range(SIZE))
_BEFORE_FIRST = _FIRST_COLUMN >> 1
_EVERYWHERE = (1 << SIZE * SIZE) - 1


def named(place: Coordinates) -> str:
    """A place as it is written: ``-1,2``."""
    return f"{place[0]},{place[1]}"


def beside(bits: int) -> int:
    """The squares that share a side with one in the set; some of the set may be among them."""
    return bits << 1 | bits >> 1 | bits << SIZE | bits >> SIZE


def reach(square: int, occupied: int) -> int:
    """Where a piece could step or jump if there were tiles everywhere.

    Args:
        square: where the piece stands; inside the tiles' box.
        occupied: the squares of all pieces.
    """
    found = _RING << square >> _CENTRE
    for step in _STEPS:
        if occupied & BIT[square + step]:
            found |= BIT[square + 2 * step]
    return found & ~occupied


def has_line(bits: int) -> bool:
    """Whether four squares of a set are in an unbroken line, horizontal, vertical or diagonal."""
    for way in (1, SIZE, SIZE + 1, SIZE - 1):
        pairs = bits & bits >> way
        if pairs & pairs >> 2 * way:
            return True
    return False


def free_sides(tiles: int, square: int) -> int:
    """How many of a tile's four sides no other tile shares."""
    return 4 - (tiles & _CROSS << square >> _CENTRE).bit_count()


def splits(tiles: int, square: int) -> bool:
    """Whether the other tiles would not be connected without this one, which has at least two free sides."""
    near = tiles & _CROSS << square >> _CENTRE
    one = near & -near
    other = near ^ one
    if not other:
        return False
    rest = tiles ^ BIT[square]
    # At a corner the tile diagonally across joins the two neighbours; between opposite ones there is none.
    if rest & BIT[one.bit_length() + other.bit_length() - 2 - square]:
        return False
    return not _grown(one, rest, other) & other


def holds_together(tiles: int) -> bool:
    """Whether all tiles are connected by sides."""
    return _grown(tiles & -tiles, tiles, 0) == tiles


def _grown(start: int, tiles: int, goal: int) -> int:
    """The tiles connected to ``start``, at least until the goal is among them."""
    seen = 0
    found = start
    while found != seen and not found & goal:
        seen = found
        found |= (seen << 1 | seen >> 1 | seen << SIZE | seen >> SIZE) & tiles
    return found


def drift(tiles: int) -> Coordinates:
    """By how many columns and rows, -1, 0 or 1, the box's corner moves when one tile was laid elsewhere."""
    columns = -1 if tiles & _BEFORE_FIRST else 0 if tiles & _FIRST_COLUMN else 1
    return columns, ((tiles & -tiles).bit_length() - 1) // SIZE - MARGIN


def moved(bits: int, columns: int, rows: int) -> int:
    """A set in the window whose corner has gone so many columns and rows."""
    shift = SIZE * rows + columns
    return bits >> shift if shift >= 0 else bits << -shift


def named_places(corner: Coordinates) -> int:
    """The window's squares whose coordinates are within the bounds; all but near the end of the world.

    Args:
        corner: the place of the box's lower left corner.
    """
    if max(abs(corner[0]), abs(corner[1])) <= FARTHEST - SIZE:
        return _EVERYWHERE
    inside = 0
    for square in range(SIZE * SIZE):
        row, column = divmod(square, SIZE)
        if abs(corner[0] + column - MARGIN) <= FARTHEST and abs(corner[1] + row - MARGIN) <= FARTHEST:
            inside |= BIT[square]
    return inside
