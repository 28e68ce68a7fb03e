"""The board of Quoridor: its squares, the anchors of walls, and the start and goal of each player.

Squares are numbers and sets of squares are ints, as in `referee.games.common.grid`. A wall's *anchor* is the
square nearest a1 that the wall touches; the anchor and the direction identify a wall. Source: rule sheet 004.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from referee.games.common.grid import Grid

__all__ = ["ANCHORS", "BIT", "FOUR", "NAMES", "SIZE", "SQUARE", "TWO", "SeatGeometry"]

SIZE: Final = 9
_GRID = Grid(SIZE, SIZE)
BIT: Final = _GRID.bit
NAMES: Final = _GRID.names
SQUARE: Final = _GRID.square
ANCHORS: Final = sum(BIT[SIZE * row + column] for row in range(SIZE - 1) for column in range(SIZE - 1))
"""The anchors of all walls: the lower left square of each of the 8 by 8 crossings."""

_BOTTOM = (1 << SIZE) - 1
_LEFT = sum(BIT[SIZE * row] for row in range(SIZE))
_TOP = _BOTTOM << SIZE * (SIZE - 1)
_RIGHT = _LEFT << SIZE - 1


@dataclass(frozen=True, slots=True)
class SeatGeometry:
    """The starts, goals and walls of the players of one game. Each tuple is in seat order.

    Attributes:
        starts: the square on which each pawn begins.
        goals: the set of squares that each player must reach.
        goal_names: the goals as text for people.
        hand: the number of walls that each player has at the start.
    """

    starts: tuple[int, ...]
    goals: tuple[int, ...]
    goal_names: tuple[str, ...]
    hand: int

    @property
    def players(self) -> int:
        """The number of seats."""
        return len(self.starts)


TWO: Final = SeatGeometry(
    starts=(SQUARE["e1"], SQUARE["e9"]),
    goals=(_TOP, _BOTTOM),
    goal_names=("row 9", "row 1"),
    hand=10,
)
FOUR: Final = SeatGeometry(
    starts=(SQUARE["e1"], SQUARE["a5"], SQUARE["e9"], SQUARE["i5"]),
    goals=(_TOP, _RIGHT, _BOTTOM, _LEFT),
    goal_names=("row 9", "column i", "row 1", "column a"),
    hand=5,
)
