"""The board of Rôdeurs: its squares, the jumps over it, and what the pawns on it are worth.

Squares and sets of them are those of `referee.games.common.grid`. Source: rule sheet 001.
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
"""The middle row, where nobody is at home."""
MIRROR: Final = tuple(GRID.square[f"{name[0]}{GRID.rows + 1 - int(name[1])}"] for name in GRID.names)
"""By square: the one opposite, mirrored in the grey row."""
ALL_PAWNS: Final = 56
"""How many there are as long as nobody has moved."""

Pawns = tuple[int, int, int]
"""The squares of the green, of the yellow and of the red pawns."""


class Jump(NamedTuple):
    """One jump; squares are sets of one.

    Attributes:
        text: where it begins and where it lands, e.g. ``c3c5``.
        start: where it begins.
        over: the square jumped.
        landing: where it ends.
        needed: the two of these that must be taken before.
        touched: all three: the ``needed`` ones are empty afterwards, and the landing is taken.
    """

    text: str
    start: int
    over: int
    landing: int
    needed: int
    touched: int


@dataclass(frozen=True, slots=True)
class Ways:
    """All jumps of one game, and how to see quickly whether there is any.

    Attributes:
        jumps: in the order of their texts.
        by_text: the same by text.
        leaving: the same by start.
        lines: for two neighbours, as far apart as the first number: the lower ones of those that have a
            square ahead of the two, and of those that have one behind.
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
"""By whether diagonal jumps are allowed."""


def can_jump(taken: int, ways: Ways) -> bool:
    """Whether any pawn can jump, ``taken`` being the squares of all pawns."""
    empty = GRID.all ^ taken
    for apart, ahead, behind in ways.lines:
        if taken & taken >> apart & (empty >> 2 * apart & ahead | empty << apart & behind):
            return True
    return False


def after(pawns: Pawns, jump: Jump) -> Pawns:
    """The pawns after a jump that is possible."""
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
    """How many green, yellow and red pawns are in player 1's quarter, and in player 2's.

    Args:
        white: the squares of player 1's quarter.
        pawns: by colour.
    """
    black = GRID.all ^ GREY ^ white
    own, other = (tuple((those & home).bit_count() for those in pawns) for home in (white, black))
    return own, other


def points(counts: tuple[int, ...]) -> int:
    """What green, yellow and red pawns cost together, one of each 1, 2 and 3 points."""
    green, yellow, red = counts
    return green + 2 * yellow + 3 * red
