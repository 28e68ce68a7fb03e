"""Éclaircissement's board: its squares, the steps and jumps over it, and who plays. All of it is made once.

Squares and sets of them are those of `referee.games.common.grid`. Source: rule sheet 003.
"""

from __future__ import annotations

from typing import Final

from referee.games.common.grid import EIGHT, ORTHOGONAL, Grid

__all__ = ["CENTRE", "EACH", "GRID", "INSIDE", "JUMPS", "JUMPS_FROM", "PLAYERS", "STEPS", "STEPS_FROM"]

PLAYERS: Final = ("White", "Red")
"""By seat."""
EACH: Final = 8
"""How many pawns a player has."""

GRID: Final = Grid(5, 5)
CENTRE: Final = GRID.set_of("c3")
INSIDE: Final = GRID.set_of("b2 c2 d2 b3 c3 d3 b4 c4 d4")
"""All squares but those of the border."""

_BIT, _NAMES = GRID.bit, GRID.names
_JUMPS = GRID.jumps(ORTHOGONAL)

STEPS: Final = {
    _NAMES[start] + _NAMES[target]: (_BIT[start], _BIT[target])
    for start in range(len(_NAMES))
    for direction in EIGHT
    if (target := GRID.step(start, direction)) is not None
}
"""By text: start and target of each step."""
JUMPS: Final = {
    _NAMES[start] + _NAMES[landing]: (_BIT[start], _BIT[over], _BIT[landing])
    for start, pairs in enumerate(_JUMPS)
    for over, landing in pairs
}
"""By text: start, square jumped and landing of each jump."""

STEPS_FROM: Final = tuple(
    [(target, text) for text, (start, target) in STEPS.items() if start == bit] for bit in _BIT
)
"""By square: target and text of each step."""
JUMPS_FROM: Final = tuple(
    [
        (_BIT[over], _BIT[landing], landing, _NAMES[landing])
        for over, landing in sorted(pairs, key=lambda pair: _NAMES[pair[1]])
    ]
    for pairs in _JUMPS
)
"""By square, in the order of the landings' names: the bits of the square jumped and of the landing, the
landing's number, its name."""
