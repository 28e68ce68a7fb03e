"""The HOPS board: its squares, what is next to them, and what a jump goes over. All of it is made once.

Source: rule sheet 002. Seat 0 is Blue, at home on row 1 and on the way up; seat 1 is Red, at home on row 7
and on the way down. Squares and sets of them are those of `referee.games.common.grid`.
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
"""By seat."""
EACH: Final = 7
"""How many pawns a player has."""
GOAL_NAMES: Final = ("row 7", "row 1")
"""By seat: the row beyond which the ball must go."""

OUT: Final = -1
"""Where the ball is once it has been carried out, and the pawn that has carried it."""

NEAR: Final = GRID.neighbours()
"""By square: the set of those next to it."""
STEPS: Final = tuple(
    tuple((BIT[target], target, NAMES[start] + NAMES[target]) for target in squares(near))
    for start, near in enumerate(NEAR)
)
"""By square: each step's target, as a bit and as a number, and the step's text."""

_JUMPS = GRID.jumps(EIGHT)
JUMPS: Final = tuple(
    tuple(
        (BIT[over], BIT[landing], landing, NAMES[landing])
        for over, landing in sorted(jumps, key=lambda jump: NAMES[jump[1]])
    )
    for jumps in _JUMPS
)
"""By square, in the order of the landings' names: the bits of the square jumped and of the landing, the
landing's number, its name."""

STEP: Final = -1
OVER: Final = tuple(
    {landing: over for over, landing in jumps} | {target: STEP for _, target, _ in steps}
    for jumps, steps in zip(_JUMPS, STEPS, strict=True)
)
"""By square, and then by each square within reach of a step or a jump: the square jumped, or ``STEP``."""

GOAL: Final = (GRID.set_of("a7 b7 c7 d7 e7 f7 g7"), GRID.set_of("a1 b1 c1 d1 e1 f1 g1"))
"""By seat: the opponent's home row, from which a step goes out."""
BEFORE_GOAL: Final = (GRID.set_of("a6 b6 c6 d6 e6 f6 g6"), GRID.set_of("a2 b2 c2 d2 e2 f2 g2"))
"""By seat: the row before it, from which a jump over a pawn on the goal row goes out."""
AHEAD: Final = tuple(
    tuple(near & goal if BIT[square] & before else 0 for square, near in enumerate(NEAR))
    for goal, before in zip(GOAL, BEFORE_GOAL, strict=True)
)
"""By seat and square: the squares of the goal row that a jump out goes over; none but from the row before."""
