"""The board of Movers & Hoppers and Rampants et sauteurs: squares and camps, ways, set-ups, and all moves.

Squares are numbers and sets of squares are ints, as in `referee.games.grid`. A *way* is a step or a jump: it
goes from one square to another in a straight line. If no square is between them, it is the step of a mover.
Otherwise it is the jump of a hopper, which needs a piece on each square between them. Source: rule sheets 000
and 003.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Final

from referee.games.grid import EIGHT, Grid

PLAYERS: Final = ("White", "Red")
"""The players' names, by seat."""
EACH: Final = 6
"""The number of pieces of each player."""
MOVERS: Final = 3
"""The number of movers of each player at the start, if the players cannot choose it."""

GRID: Final = Grid(3, 8)
CAMPS: Final = (GRID.set_of("a1 b1 c1 a2 b2 c2"), GRID.set_of("a7 b7 c7 a8 b8 c8"))
"""By seat: the squares on which the player starts."""

WON_WITH: Final = {
    "camp": "all six pieces in the opposite camp",
    "full": "a piece in the opposite camp, which is full",
}
"""How the winner has won, by the reason of the outcome."""

SETUP_SQUARES: Final = (("a1", "b1", "c1", "a2", "b2", "c2"), ("a8", "b8", "c8", "a7", "b7", "c7"))
"""By seat: the squares that the letters of a set-up are for, from the player's back row."""
_LONGEST: Final = max(GRID.columns, GRID.rows)


@dataclass(frozen=True, slots=True)
class MoversHoppersMove:
    """One turn. Sets of squares are 0 for a set-up and for a pass."""

    text: str  # the move in the game's notation
    source: int = 0  # the square that a piece leaves, as a set
    target: int = 0  # the square where the piece lands, as a set
    over: int = 0  # the squares between the two; none for a step
    movers: tuple[int, int] | None = None  # by seat, where a set-up puts movers; None for any other move

    def __str__(self) -> str:
        return self.text


def _ways_from(square: int) -> tuple[MoversHoppersMove, ...]:
    """The ways from a square, sorted by target."""
    ways = []
    for direction in EIGHT:
        over = 0
        for count in range(1, _LONGEST):
            target = GRID.step(square, direction, count)
            if target is None:
                break
            text = GRID.names[square] + GRID.names[target]
            way = MoversHoppersMove(text, GRID.bit[square], GRID.bit[target], over)
            ways.append((target, way))
            over |= GRID.bit[target]
    return tuple(way for _, way in sorted(ways, key=lambda pair: pair[0]))


def _setup(letters: str) -> MoversHoppersMove:
    white, red = (
        sum(GRID.bit[GRID.square[name]] for name, letter in zip(order, letters, strict=True) if letter == "m")
        for order in SETUP_SQUARES
    )
    return MoversHoppersMove(letters, movers=(white, red))


WAYS: Final = tuple(_ways_from(square) for square in range(len(GRID.names)))
"""By square: the steps and jumps from it that some position allows, sorted by target."""
PASS: Final = MoversHoppersMove("pass")

_FREE_SETUPS = tuple(_setup("".join(letters)) for letters in product("hm", repeat=EACH))
SETUPS: Final = {
    True: _FREE_SETUPS,
    False: tuple(setup for setup in _FREE_SETUPS if setup.text.count("m") == MOVERS),
}
"""The set-ups in ASCII order, by whether the players choose the number of their movers."""

MOVES: Final = {move.text: move for move in (*(way for ways in WAYS for way in ways), *_FREE_SETUPS, PASS)}
"""Every move, by its text."""
NOTATION: Final = "a piece's square and its target such as a2b3, a set-up such as hmhmhm, or pass"
"""How moves are written, after "a move is"."""
