"""The board of Éclaircissement: its squares, and the steps and jumps on it.

Squares are numbers and sets of squares are ints, as in `referee.games.common.grid`. Source: rule sheet 003.
"""

from __future__ import annotations

from typing import Final

from referee.games.common.grid import EIGHT, ORTHOGONAL, Grid

__all__ = ["CENTRE", "EACH", "GRID", "INSIDE", "JUMPS", "JUMPS_FROM", "PLAYERS", "STEPS", "STEPS_FROM"]

PLAYERS: Final = ("White", "Red")
"""The players' names, by seat."""
EACH: Final = 8
"""The number of pawns of each player."""

GRID: Final = Grid(5, 5)
CENTRE: Final = GRID.set_of("c3")
INSIDE: Final = GRID.set_of("b2 c2 d2 b3 c3 d3 b4 c4 d4")
"""The squares that are not on the border."""

_BIT, _NAMES = GRID.bit, GRID.names
_JUMPS = GRID.jumps(ORTHOGONAL)

STEPS: Final = {
    _NAMES[start] + _NAMES[target]: (_BIT[start], _BIT[target])
    for start in range(len(_NAMES))
    for direction in EIGHT
    if (target := GRID.step(start, direction)) is not None
}
"""By text: the start and the target of each step."""
JUMPS: Final = {
    _NAMES[start] + _NAMES[landing]: (_BIT[start], _BIT[over], _BIT[landing])
    for start, pairs in enumerate(_JUMPS)
    for over, landing in pairs
}
"""By text: the start, the square jumped and the landing of each jump."""

STEPS_FROM: Final = tuple(
    [(target, text) for text, (start, target) in STEPS.items() if start == bit] for bit in _BIT
)
"""By square: the target and the text of each step from it."""
JUMPS_FROM: Final = tuple(
    [
        (_BIT[over], _BIT[landing], landing, _NAMES[landing])
        for over, landing in sorted(pairs, key=lambda pair: _NAMES[pair[1]])
    ]
    for pairs in _JUMPS
)
"""By square: the jumps from it, in the order of their landings' names. A jump is the bit of the square
jumped, the bit of the landing, the number of the landing and its name."""
