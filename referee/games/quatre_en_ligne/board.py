"""The board of Quatre en ligne, its tiles as bits in a window that moves with them, and its moves.

A *place* has the coordinates that moves use. They never change during a game, but the tiles can drift far
away from their start. So a position stores sets of *squares*: a square is the number of a place in a window
of 24 by 24 places, and a set of squares is an int, as in `referee.games.grid`.

The lower left corner of the tiles' bounding box is at column 2 and row 2 of the window. The box is at most 20
by 20, because the tiles are connected. The margin has room for a tile next to the box and for the neighbours
of that tile, so a shift never moves a bit from one row into another. Source: rule sheet 003.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from referee.game import MAX_MOVE_TEXT
from referee.games.grid import squares

Coordinates = tuple[int, int]
"""The coordinates x and y of a place."""

SIZE: Final = 24
MARGIN: Final = 2
TILES: Final = 20
FARTHEST: Final = 999_999
"""Coordinates are from minus this number to this number."""
NUMBER: Final = r"(0|-?[1-9][0-9]{0,5})"
"""The pattern of a coordinate: no plus sign, no leading zeros, no minus before 0."""

BIT: Final = tuple(1 << square for square in range(SIZE * SIZE))

_STEPS: Final = (1, -1, SIZE, -SIZE, SIZE + 1, SIZE - 1, 1 - SIZE, -1 - SIZE)
_CENTRE = SIZE + 1
_RING = sum(1 << _CENTRE + step for step in _STEPS)
_CROSS = sum(1 << _CENTRE + step for step in _STEPS[:4])
_FIRST_COLUMN = sum(BIT[SIZE * row + MARGIN] for row in range(SIZE))
_BEFORE_FIRST = _FIRST_COLUMN >> 1
_EVERYWHERE = (1 << SIZE * SIZE) - 1


_NOWHERE = 0
"""The square for every place outside the window. It never has a tile, and no tile can be laid there."""


def square_of(place: Coordinates, corner: Coordinates) -> int:
    """The square of a place; ``corner`` is the lower left corner of the tiles' box."""
    column = place[0] - corner[0] + MARGIN
    row = place[1] - corner[1] + MARGIN
    return SIZE * row + column if 0 <= column < SIZE and 0 <= row < SIZE else _NOWHERE


def place_of(square: int, corner: Coordinates) -> Coordinates:
    """The place of a square."""
    row, column = divmod(square, SIZE)
    return corner[0] + column - MARGIN, corner[1] + row - MARGIN


def named(place: Coordinates) -> str:
    """The text of a place, such as ``-1,2``."""
    return f"{place[0]},{place[1]}"


def beside(bits: int) -> int:
    """The squares that share a side with a square of the set. They may include squares of the set."""
    return bits << 1 | bits >> 1 | bits << SIZE | bits >> SIZE


def reach(square: int, occupied: int) -> int:
    """The squares to which a piece in the tiles' box could step or jump if every square had a tile."""
    targets = _RING << square >> _CENTRE
    for step in _STEPS:
        if occupied & BIT[square + step]:
            targets |= BIT[square + 2 * step]
    return targets & ~occupied


def has_line(bits: int) -> bool:
    """Whether four squares of the set form an unbroken line, horizontal, vertical or diagonal."""
    for step in (1, SIZE, SIZE + 1, SIZE - 1):
        pairs = bits & bits >> step
        if pairs & pairs >> 2 * step:
            return True
    return False


def first_line(bits: int) -> list[int]:
    """The four squares of a line that `has_line` finds."""
    for step in (1, SIZE, SIZE + 1, SIZE - 1):
        pairs = bits & bits >> step
        starts = squares(pairs & pairs >> 2 * step)
        if starts:
            return [starts[0] + step * number for number in range(4)]
    return []


def longest_line(bits: int) -> int:
    """The length of the longest unbroken line, horizontal, vertical or diagonal; 0 for no squares."""
    longest = 0
    for step in (1, SIZE, SIZE + 1, SIZE - 1):
        length, starts = 0, bits
        while starts:
            length += 1
            starts &= starts >> step
        longest = max(longest, length)
    return longest


def free_sides(tiles: int, square: int) -> int:
    """The number of the tile's sides that it shares with no other tile."""
    return 4 - (tiles & _CROSS << square >> _CENTRE).bit_count()


def splits(tiles: int, square: int) -> bool:
    """Whether the tiles fall apart without this one, which must have at least two free sides."""
    near = tiles & _CROSS << square >> _CENTRE
    first = near & -near
    second = near ^ first
    if not second:
        return False
    rest = tiles ^ BIT[square]
    # If the two neighbours are on adjacent sides, the tile next to both connects them. If they are on
    # opposite sides, the bit tested here is the tile itself, which ``rest`` does not have.
    if rest & BIT[first.bit_length() + second.bit_length() - 2 - square]:
        return False
    return not _connected(first, rest, second) & second


def holds_together(tiles: int) -> bool:
    """Whether all tiles are connected by their sides."""
    return _connected(tiles & -tiles, tiles, 0) == tiles


def _connected(start: int, tiles: int, goal: int) -> int:
    """The tiles connected to ``start``; the search ends when it reaches ``goal``."""
    seen = 0
    filled = start
    while filled != seen and not filled & goal:
        seen = filled
        filled |= (seen << 1 | seen >> 1 | seen << SIZE | seen >> SIZE) & tiles
    return filled


def drift(tiles: int) -> Coordinates:
    """The columns and rows, each -1, 0 or 1, by which the corner of the box moves after a tile was moved."""
    columns = -1 if tiles & _BEFORE_FIRST else 0 if tiles & _FIRST_COLUMN else 1
    return columns, ((tiles & -tiles).bit_length() - 1) // SIZE - MARGIN


def moved(bits: int, columns: int, rows: int) -> int:
    """A set of squares in the window after its corner has moved by these columns and rows."""
    shift = SIZE * rows + columns
    return bits >> shift if shift >= 0 else bits << -shift


def named_places(corner: Coordinates) -> int:
    """The squares of a window that are not beyond `FARTHEST`; ``corner`` is as in `square_of`."""
    if max(abs(corner[0]), abs(corner[1])) <= FARTHEST - SIZE:
        return _EVERYWHERE
    inside = 0
    for square in range(SIZE * SIZE):
        row, column = divmod(square, SIZE)
        if abs(corner[0] + column - MARGIN) <= FARTHEST and abs(corner[1] + row - MARGIN) <= FARTHEST:
            inside |= BIT[square]
    return inside


# --- moves -------------------------------------------------------------------------------------------------

PLAYERS: Final = ("White", "Red")
"""The players' names, by seat."""
PIECES: Final = 6
"""The number of pieces of each player."""

_PLACE = f"{NUMBER},{NUMBER}"
MOVE = re.compile(f"{_PLACE}(?:>{_PLACE}(?:@{_PLACE})?)?")
"""The pattern of a move that is not a pass."""


class QuatreMove(NamedTuple):
    """One turn: a piece is placed; or it moves, perhaps onto a tile laid for it; or the player passes.

    Attributes:
        text: the move in the game's notation.
        target: the place where the piece goes; 0,0 for a pass.
        source: the place that the piece leaves; None for a new piece and for a pass.
        taken: the old place of the tile that is laid at the target; None if no tile is laid.
        is_jump: whether the piece jumps over the place between source and target.
    """

    text: str
    target: Coordinates
    source: Coordinates | None = None
    taken: Coordinates | None = None
    is_jump: bool = False

    def __str__(self) -> str:
        return self.text


PASS: Final = QuatreMove("pass", (0, 0))

NOTATION: Final = (
    "a place such as 2,1, a step or jump such as 2,1>3,2, a step or jump onto a tile from another place such "
    "as 3,1>5,1@4,0, or pass"
)
"""How moves are written, after "a move is"."""


def is_placing(pieces: tuple[int, int]) -> bool:
    """Whether players still have pieces in hand; ``pieces`` has the squares of both players' pieces."""
    return (pieces[0] | pieces[1]).bit_count() < 2 * PIECES


def read_text(text: str) -> QuatreMove | None:
    """The move that a text describes, legal or not; None if it is not a move in any position."""
    match = MOVE.fullmatch(text) if len(text) <= MAX_MOVE_TEXT else None
    if match is None:
        return PASS if text == PASS.text else None
    x, y, to_x, to_y, from_x, from_y = match.groups()
    if to_x is None:
        return QuatreMove(text, (int(x), int(y)))
    source, target = (int(x), int(y)), (int(to_x), int(to_y))
    taken = None if from_x is None else (int(from_x), int(from_y))
    across, up = abs(target[0] - source[0]), abs(target[1] - source[1])
    is_jump = across == 2 or up == 2
    if across > 2 or up > 2 or across + up == 0 or (is_jump and (across == 1 or up == 1)):
        return None
    if taken in (source, target):
        return None
    return QuatreMove(text, target, source, taken, is_jump)
