"""The board of HOPS: its squares, the steps and jumps on it, and the home and goal of each player.

Squares are numbers and sets of squares are ints, as in `referee.games.common.grid`. Seat 0 is Blue: its home
is row 1 and it plays up the board. Seat 1 is Red: its home is row 7 and it plays down. Source: rule sheet
002.
"""

from __future__ import annotations

from typing import Final

from referee.games.common.grid import EIGHT, Grid, squares

__all__ = [
    "AHEAD",
    "BEFORE_GOAL",
    "BIT",
    "EACH",
    "GOAL",
    "GOAL_NAMES",
    "GRID",
    "JUMPS",
    "NAMES",
    "NEAR",
    "OUT",
    "OVER",
    "PLAYERS",
    "STEP",
    "STEPS",
]

GRID: Final = Grid(7, 7)
NAMES: Final = GRID.names
BIT: Final = GRID.bit

PLAYERS: Final = ("Blue", "Red")
"""The players' names, by seat."""
EACH: Final = 7
"""The number of pawns of each player."""
GOAL_NAMES: Final = ("row 7", "row 1")
"""By seat: the row over which the player must carry the ball out."""

OUT: Final = -1
"""The square of the ball and its carrier after the ball has been carried out."""

NEAR: Final = GRID.neighbours()
"""By square: the set of the squares next to it."""
STEPS: Final = tuple(
    tuple((BIT[target], target, NAMES[start] + NAMES[target]) for target in squares(near))
    for start, near in enumerate(NEAR)
)
"""By square: the target of each step, as a bit and as a number, and the text of the step."""

_JUMPS = GRID.jumps(EIGHT)
JUMPS: Final = tuple(
    tuple(
        (BIT[over], BIT[landing], landing, NAMES[landing])
        for over, landing in sorted(jumps, key=lambda jump: NAMES[jump[1]])
    )
    for jumps in _JUMPS
)
"""By square: the jumps from it, in the order of their landings' names. A jump is the bit of the square
jumped, the bit of the landing, the number of the landing and its name."""

STEP: Final = -1
OVER: Final = tuple(
    {landing: over for over, landing in jumps} | {target: STEP for _, target, _ in steps}
    for jumps, steps in zip(_JUMPS, STEPS, strict=True)
)
"""By start, and then by the target of each step or jump: the square jumped, or ``STEP`` for a step."""

GOAL: Final = (GRID.set_of("a7 b7 c7 d7 e7 f7 g7"), GRID.set_of("a1 b1 c1 d1 e1 f1 g1"))
"""By seat: the home row of the opponent. A step from it can carry the ball out."""
BEFORE_GOAL: Final = (GRID.set_of("a6 b6 c6 d6 e6 f6 g6"), GRID.set_of("a2 b2 c2 d2 e2 f2 g2"))
"""By seat: the row before the goal row. A jump from it over a pawn on the goal row can carry the ball out."""
AHEAD: Final = tuple(
    tuple(near & goal if BIT[square] & before else 0 for square, near in enumerate(NEAR))
    for goal, before in zip(GOAL, BEFORE_GOAL, strict=True)
)
"""By seat and square: the squares that a jump out from this square can go over. It is empty for squares that
are not on the row before the goal row."""
