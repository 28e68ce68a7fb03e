"""The board of Éclaircissement: its squares, its steps and jumps, and its moves.

Squares are numbers and sets of squares are ints, as in `referee.games.grid`. A move's text is the path of the
pawn, with ``+`` at its end if the move lights the pawn. Source: rule sheet 003.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from referee.games.grid import ORTHOGONAL, Grid, squares

PLAYERS: Final = ("White", "Red")
"""The players' names, by seat."""
EACH: Final = 8
"""The number of pawns of each player."""
LIGHT: Final = "+"
"""The last character of the text of a move that lights the pawn."""

GRID: Final = Grid(5, 5)
CENTRE: Final = GRID.set_of("c3")
INSIDE: Final = GRID.set_of("b2 c2 d2 b3 c3 d3 b4 c4 d4")
"""The squares that are not on the border."""

_BIT, _NAMES = GRID.bit, GRID.names

STEPS: Final = {
    _NAMES[start] + _NAMES[target]: (_BIT[start], _BIT[target])
    for start, near in enumerate(GRID.neighbours())
    for target in squares(near)
}
"""By text: the start and the target of each step."""
JUMPS: Final = {
    _NAMES[start] + _NAMES[landing]: (_BIT[start], _BIT[over], _BIT[landing])
    for start, pairs in enumerate(GRID.jumps(ORTHOGONAL))
    for over, landing in pairs
}
"""By text: the start, the square jumped and the landing of each jump."""

STEPS_FROM: Final = tuple(
    [(target, text) for text, (start, target) in STEPS.items() if start == bit] for bit in _BIT
)
"""By square: the target and the text of each step from it."""
JUMPS_FROM: Final = GRID.named_jumps(ORTHOGONAL)

NOTATION: Final = f"pass, or a path such as a1b2 or a1c1c3, with {LIGHT} at its end when the pawn is lit"
"""How moves are written, after "a move is"."""


@dataclass(frozen=True, slots=True)
class EclaircissementMove:
    """One turn; its text describes it fully in every position."""

    text: str  # the move in the game's notation
    start: int  # the bit of the square that the pawn leaves
    target: int  # the bit of the square where the pawn ends; `start` again for a chain that leads back
    lights: bool  # whether the move lights the pawn

    def __str__(self) -> str:
        return self.text
