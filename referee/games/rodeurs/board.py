"""The board of Rôdeurs: its squares, the jumps in four or eight directions, and the moves.

Squares are numbers and sets of squares are ints, as in `referee.games.grid`. In a turn, one pawn makes one
jump or more, or two pawns make one jump each. A move's text is the path of the pawn, or the two paths with a
comma between them. Source: rule sheet 001.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Final, NamedTuple

from referee.games.grid import DIAGONAL, ORTHOGONAL, Grid

GRID: Final = Grid(7, 9)
GREY: Final = GRID.set_of("a5 b5 c5 d5 e5 f5 g5")
"""The middle row, which belongs to neither player."""
MIRROR: Final = tuple(GRID.square[f"{name[0]}{GRID.rows + 1 - int(name[1])}"] for name in GRID.names)
"""By square: the opposite square, mirrored in the grey row."""
ALL_PAWNS: Final = 56
"""The number of pawns before the first move."""
LONGEST: Final = 2 + 2 * ALL_PAWNS
"""The most characters in a move: each jump of a chain removes a pawn."""

Pawns = tuple[int, int, int]
"""The squares of the green, the yellow and the red pawns."""


class Jump(NamedTuple):
    """One jump. All attributes but ``text`` are sets of squares."""

    text: str  # the names of the start and of the landing, e.g. ``c3c5``
    start: int  # the square where the jump starts
    over: int  # the square jumped
    landing: int  # the square where the jump ends
    needed: int  # ``start`` and ``over``, which must be occupied before, and are empty after
    touched: int  # ``start``, ``over`` and ``landing``, of which only the landing is occupied after


@dataclass(frozen=True, slots=True)
class Ways:
    """The tables of all jumps of one game.

    Attributes:
        jumps: all jumps, sorted by text.
        by_text: the jumps by text.
        leaving: the jumps by start.
        lines: for `can_jump`, three values for each pair of opposite directions: the difference between the
            numbers of two neighbouring squares; the squares where a jump to a higher number may start; and
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


_A_E, _B_F, _C_G = GRID.in_columns("abcde"), GRID.in_columns("bcdef"), GRID.in_columns("cdefg")
_STRAIGHT = ((7, GRID.all, GRID.all), (1, _A_E, _B_F))
_OBLIQUE = ((8, _A_E, _B_F), (6, _C_G, _B_F))

WAYS: Final = (_ways(ORTHOGONAL, _STRAIGHT), _ways((*ORTHOGONAL, *DIAGONAL), (*_STRAIGHT, *_OBLIQUE)))
"""The tables of jumps, by whether diagonal jumps are allowed."""


@dataclass(frozen=True, slots=True)
class RodeursMove:
    """One turn; its text describes it fully in every position."""

    text: str  # the move in the game's notation
    jumps: tuple[Jump, ...]  # the jumps of the turn, in order

    def __str__(self) -> str:
        return self.text


NOTATION: Final = "a pawn's path such as c3c5 or c3c5e5, or two pawns' single jumps such as c3c5,f7f5"
"""How moves are written, after "a move is"."""


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
