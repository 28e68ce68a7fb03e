"""Éclaircissement's moves: the ways of a pawn over the board, and the moves that it has in a position.

A move's text is the pawn's path, with ``+`` at its end when the pawn is lit. Squares are bits
(`referee.games.common.grid`). Source: rule sheet 003.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from referee.games.common.grid import EIGHT, ORTHOGONAL, Grid

__all__ = ["CENTRE", "GRID", "INSIDE", "JUMPS", "LIGHT", "STEPS", "EclaircissementMove", "pawn_moves"]

GRID: Final = Grid(5, 5)
CENTRE: Final = GRID.set_of("c3")
INSIDE: Final = GRID.set_of("b2 c2 d2 b3 c3 d3 b4 c4 d4")
"""All squares but those of the border."""
LIGHT: Final = "+"
"""What a text ends in when the pawn is lit."""


@dataclass(frozen=True, slots=True)
class EclaircissementMove:
    """One turn; its text says all of it, whatever the position.

    Attributes:
        text: its notation.
        start: the square that the pawn leaves, as a set.
        target: the square where it ends, as a set; the same after a chain that leads back.
        lights: whether the pawn is lit.
    """

    text: str
    start: int
    target: int
    lights: bool

    def __str__(self) -> str:
        return self.text


def _alphabetical(pairs: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    """Jumps in the order of their landing squares' names."""
    return sorted(pairs, key=lambda pair: GRID.names[pair[1]])


_BIT, _NAMES = GRID.bit, GRID.names

STEPS: Final = {
    _NAMES[start] + _NAMES[target]: (_BIT[start], _BIT[target])
    for start in range(len(_NAMES))
    for direction in EIGHT
    if (target := GRID.step(start, direction)) is not None
}
"""By text: start and target of each step."""
JUMPS: Final = {
    _NAMES[start] + _NAMES[landing]: (_BIT[start], _BIT[over], _BIT[landing])
    for start, pairs in enumerate(GRID.jumps(ORTHOGONAL))
    for over, landing in pairs
}
"""By text: start, square jumped and landing of each jump."""

_STEPS_FROM: Final = tuple(
    [(target, text) for text, (start, target) in STEPS.items() if start == bit] for bit in _BIT
)
_JUMPS_FROM: Final = tuple(
    [(_BIT[over], _BIT[landing], landing, _NAMES[landing]) for over, landing in _alphabetical(pairs)]
    for pairs in GRID.jumps(ORTHOGONAL)
)


def pawn_moves(square: int, taken: int, lit: int) -> Iterator[EclaircissementMove]:
    """The canonical moves of the pawn on a square: one for each distinct successor.

    Args:
        square: its number.
        taken: the squares of all pawns.
        lit: those of the lit ones.
    """
    start = _BIT[square]
    dark = not start & lit
    for target, text in _STEPS_FROM[square]:
        if not target & taken:
            yield EclaircissementMove(text, start, target, lights=False)
            if dark and target == CENTRE:
                yield EclaircissementMove(text + LIGHT, start, target, lights=True)
    yield from _chains(square, taken ^ start, lit, dark=dark)


def _chains(square: int, others: int, lit: int, *, dark: bool) -> Iterator[EclaircissementMove]:
    """The moves by jumps, by a search in breadth over squares and over whether the pawn may be lit by then.

    Paths are met in the order of their lengths and, within a length, of the alphabet: the first one to come
    to a successor is its canonical text.
    """
    start = _BIT[square]
    reached = start
    reached_in_light = 0
    waiting = [(square, _NAMES[square], False)]
    for here, path, light in waiting:
        for over, landing, there, name in _JUMPS_FROM[here]:
            if not over & others or landing & others:
                continue
            text = path + name
            light_now = light or (dark and (landing == CENTRE or over & lit != 0))
            if light_now:
                if landing & reached_in_light:
                    continue
                reached_in_light |= landing
                yield EclaircissementMove(text + LIGHT, start, landing, lights=True)
            if not landing & reached:
                reached |= landing
                yield EclaircissementMove(text, start, landing, lights=False)
            elif not light_now:
                continue
            waiting.append((there, text, light_now))
