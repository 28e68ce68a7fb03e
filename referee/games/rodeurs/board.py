"""The board of Rôdeurs: its squares, the jumps on it, and the points of its pawns.

Squares are numbers and sets of squares are ints, as in `referee.games.common.grid`. Source: rule sheet 001.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Final, NamedTuple

from referee.games.common.grid import DIAGONAL, ORTHOGONAL, Grid

__all__ = [
    "ALL_PAWNS",
    "GREY",
    "GRID",
    "MIRROR",
    "WAYS",
    "Jump",
    "Pawns",
    "Ways",
    "after",
    "can_jump",
    "count_pawns",
    "points",
]

GRID: Final = Grid(7, 9)
GREY: Final = GRID.set_of("a5 b5 c5 d5 e5 f5 g5")
"""The middle row, which belongs to neither player."""
MIRROR: Final = tuple(GRID.square[f"{name[0]}{GRID.rows + 1 - int(name[1])}"] for name in GRID.names)
"""By square: the opposite square, mirrored in the grey row."""
ALL_PAWNS: Final = 56
"""The number of pawns before the first move."""

Pawns = tuple[int, int, int]
"""The squares of the green, the yellow and the red pawns."""


class Jump(NamedTuple):
    """One jump. All attributes but ``text`` are sets of squares.

    Attributes:
        text: the names of the start and of the landing, e.g. ``c3c5``.
        start: the square where the jump begins.
        over: the square jumped.
        landing: the square where the jump ends.
        needed: ``start`` and ``over``, which must be occupied before the jump and are empty after it.
        touched: ``start``, ``over`` and ``landing``. Only the landing is occupied after the jump.
    """

    text: str
    start: int
    over: int
    landing: int
    needed: int
    touched: int


@dataclass(frozen=True, slots=True)
class Ways:
    """The tables of all jumps of one game.

    Attributes:
        jumps: all jumps, sorted by text.
        by_text: the jumps by text.
        leaving: the jumps by start.
        lines: for `can_jump`, three values for each pair of opposite directions: the difference between the
            numbers of two neighbouring squares; the squares where a jump to a higher number may begin; and
            the squares that a jump to a lower number may go over. From or over the other squares, a jump
            would leave the board on the left or right.
    """

    jumps: tuple[Jump, ...]
    by_text: dict[str, Jump]
    leaving: dict[int, tuple[Jump, ...]]
    lines: tuple[tuple[int, int, int], ...]


def _ways(directions: tuple[tuple[int, int], ...], lines: tuple[tuple[int, int, int], ...]) -> Ways:
    bit, names = GRID.bit, GRID.names
    jumps = []
    for square, pairs in enumerate(GRID.jumps(directions)):
        for over, landing in pairs:
            start, middle, end = bit[square], bit[over], bit[landing]
            text = names[square] + names[landing]
            jumps.append(Jump(text, start, middle, end, start | middle, start | middle | end))
    jumps.sort()
    leaving = {start: tuple(each) for start, each in groupby(jumps, lambda jump: jump.start)}
    return Ways(tuple(jumps), {jump.text: jump for jump in jumps}, leaving, lines)


def _columns(letters: str) -> int:
    return sum(bit for bit, name in zip(GRID.bit, GRID.names, strict=True) if name[0] in letters)


_A_E, _B_F, _C_G = _columns("abcde"), _columns("bcdef"), _columns("cdefg")
_STRAIGHT = ((7, GRID.all, GRID.all), (1, _A_E, _B_F))
_OBLIQUE = ((8, _A_E, _B_F), (6, _C_G, _B_F))

WAYS: Final = (_ways(ORTHOGONAL, _STRAIGHT), _ways((*ORTHOGONAL, *DIAGONAL), (*_STRAIGHT, *_OBLIQUE)))
"""The tables of jumps, by whether diagonal jumps are allowed."""


def can_jump(occupied: int, ways: Ways) -> bool:
    """Whether any pawn can jump; ``occupied`` has the squares of all pawns."""
    empty = GRID.all ^ occupied
    for shift, ahead, behind in ways.lines:
        if occupied & occupied >> shift & (empty >> 2 * shift & ahead | empty << shift & behind):
            return True
    return False


def after(pawns: Pawns, jump: Jump) -> Pawns:
    """The pawns after a legal jump."""
    _, start, over, landing, _, _ = jump
    green, yellow, red = pawns
    if green & start:
        green ^= start | landing
    elif yellow & start:
        yellow ^= start | landing
    else:
        red ^= start | landing
    if green & over:
        green ^= over
    elif yellow & over:
        yellow ^= over
    else:
        red ^= over
    return green, yellow, red


def count_pawns(white: int, pawns: Pawns) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The numbers of green, yellow and red pawns on player 1's squares, and on player 2's squares.

    Args:
        white: the white squares, which are player 1's.
        pawns: the squares of the pawns, by colour.
    """
    black = GRID.all ^ GREY ^ white
    own, other = (tuple((colour & home).bit_count() for colour in pawns) for home in (white, black))
    return own, other


def points(counts: tuple[int, ...]) -> int:
    """The points for numbers of green, yellow and red pawns, which count 1, 2 and 3 points each."""
    green, yellow, red = counts
    return green + 2 * yellow + 3 * red
