"""Movers & Hoppers' board: its squares, the camps, who plays, and in what the three games differ.

Squares and sets of them are those of `referee.games.common.grid`. Source: rule sheets 000 and 003.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from referee.games.common.grid import Grid

__all__ = ["CAMPS", "EACH", "GRID", "MOVERS", "PLAYERS", "WON_WITH", "Variant"]

PLAYERS: Final = ("White", "Red")
"""By seat."""
EACH: Final = 6
"""How many pieces a player has."""
MOVERS: Final = 3
"""How many of them are movers at the start, where the players may not choose."""

GRID: Final = Grid(3, 8)
CAMPS: Final = (GRID.set_of("a1 b1 c1 a2 b2 c2"), GRID.set_of("a7 b7 c7 a8 b8 c8"))
"""By seat: the squares on which the player begins."""

WON_WITH: Final = {
    "camp": "all six pieces in the opposite camp",
    "full": "a piece in the opposite camp, which is full",
}
"""By the reason of an outcome: what the winner has."""


@dataclass(frozen=True, slots=True)
class Variant:
    """In what the games differ.

    Attributes:
        is_free: whether the players choose how many of their pieces begin as movers.
        is_won_when_full: whether one piece in the opposite camp is enough when that is full.
    """

    is_free: bool
    is_won_when_full: bool
