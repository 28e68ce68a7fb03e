"""Movers & Hoppers' board and moves: tables of all of them, so that reading a move is a look-up.

A way goes from a square to another, over the squares between them in a straight line. It is a mover's step
when there are none, otherwise a hopper's jump, which is possible when all of them are occupied.
"""

from __future__ import annotations

from itertools import product
from typing import Final

from referee.games.common.grid import EIGHT, Grid

__all__ = [
    "CAMPS",
    "EACH",
    "GRID",
    "MOVERS",
    "MOVES",
    "PASS",
    "SETUPS",
    "WAYS",
    "MoversHoppersMove",
]

GRID: Final = Grid(3, 8)
CAMPS: Final = (GRID.set_of("a1 b1 c1 a2 b2 c2"), GRID.set_of("a7 b7 c7 a8 b8 c8"))
"""By seat: the squares on which the player begins."""
EACH: Final = 6
"""How many pieces a player has."""
MOVERS: Final = 3
"""How many of them are movers at the start, where the players may not choose."""

_ORDER: Final = ("a1 b1 c1 a2 b2 c2", "a8 b8 c8 a7 b7 c7")
_LONGEST: Final = max(GRID.columns, GRID.rows)


class MoversHoppersMove:
    """One turn. There is one object for each text, whatever the position, so identity is equality.

    Attributes:
        text: its notation.
        source: the bit of the square that a piece leaves; 0 in a set-up and for a pass.
        target: the bit of the square where it lands, likewise.
        over: the squares between the two: none for a step.
        movers: by seat, the squares where a set-up puts movers; None for any other move.
    """

    __slots__ = ("movers", "over", "source", "target", "text")

    def __init__(
        self,
        text: str,
        source: int = 0,
        target: int = 0,
        over: int = 0,
        movers: tuple[int, int] | None = None,
    ) -> None:
        self.text: Final = text
        self.source: Final = source
        self.target: Final = target
        self.over: Final = over
        self.movers: Final = movers

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<MoversHoppersMove {self.text}>"

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return _interned, (self.text,)  # a copy must stay the same object


def _interned(text: str) -> MoversHoppersMove:
    return MOVES[text]


def _ways(square: int) -> tuple[MoversHoppersMove, ...]:
    """The ways from a square, by target."""
    found = []
    for direction in EIGHT:
        over = 0
        for count in range(1, _LONGEST):
            target = GRID.step(square, direction, count)
            if target is None:
                break
            text = GRID.names[square] + GRID.names[target]
            way = MoversHoppersMove(text, GRID.bit[square], GRID.bit[target], over)
            found.append((target, way))
            over |= GRID.bit[target]
    return tuple(way for _, way in sorted(found, key=lambda pair: pair[0]))


def _setup(letters: str) -> MoversHoppersMove:
    white, red = (
        sum(
            GRID.bit[GRID.square[name]]
            for name, letter in zip(order.split(), letters, strict=True)
            if letter == "m"
        )
        for order in _ORDER
    )
    return MoversHoppersMove(letters, movers=(white, red))


WAYS: Final = tuple(_ways(square) for square in range(len(GRID.names)))
"""By square: steps and jumps from it that some position allows, by target."""
SETUPS: Final = tuple(_setup("".join(letters)) for letters in product("hm", repeat=EACH))
"""All 64, in ASCII order."""
PASS: Final = MoversHoppersMove("pass")

MOVES: Final = {move.text: move for move in (*(way for ways in WAYS for way in ways), *SETUPS, PASS)}
"""Every move by its text."""
