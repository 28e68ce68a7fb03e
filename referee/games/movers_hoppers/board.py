"""The board of Movers & Hoppers: its squares, the camp of each player, and the three variants.

Squares are numbers and sets of squares are ints, as in `referee.games.common.grid`. Source: rule sheets 000
and 003.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from referee.games.common.grid import Grid

__all__ = ["CAMPS", "EACH", "GRID", "MOVERS", "PLAYERS", "WON_WITH", "Variant"]

PLAYERS: Final = ("White", "Red")
"""The players' names, by seat."""
EACH: Final = 6
"""The number of pieces of each player."""
MOVERS: Final = 3
"""The number of movers of each player at the start, if the players cannot choose it."""

GRID: Final = Grid(3, 8)
CAMPS: Final = (GRID.set_of("a1 b1 c1 a2 b2 c2"), GRID.set_of("a7 b7 c7 a8 b8 c8"))
"""By seat: the squares on which the player begins."""

WON_WITH: Final = {
    "camp": "all six pieces in the opposite camp",
    "full": "a piece in the opposite camp, which is full",
}
"""How the winner has won, by the reason of the outcome."""


@dataclass(frozen=True, slots=True)
class Variant:
    """The differences between the games.

    Attributes:
        is_free: whether the players choose how many of their pieces begin as movers.
        is_won_when_full: whether one piece in the opposite camp wins if that camp is full.
    """

    is_free: bool
    is_won_when_full: bool
