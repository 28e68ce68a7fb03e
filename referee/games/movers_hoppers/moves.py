"""The moves of Movers & Hoppers: the table of all moves, the legal moves of a position, and reading one move.

A *way* is a step or a jump: it goes from one square to another in a straight line. If no square is between
them, it is the step of a mover. Otherwise it is the jump of a hopper, which needs a piece on each square
between them. The module `illegal` explains why a text is not a legal move. Source: rule sheets 000 and 003.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Final

from referee.games.common.grid import EIGHT, squares
from referee.games.movers_hoppers.board import EACH, GRID, MOVERS

if TYPE_CHECKING:
    from referee.games.movers_hoppers.position import MoversHoppersPosition

__all__ = ["MOVES", "PASS", "WAYS", "MoversHoppersMove", "list_moves", "read_move"]

_ORDER: Final = ("a1 b1 c1 a2 b2 c2", "a8 b8 c8 a7 b7 c7")
_LONGEST: Final = max(GRID.columns, GRID.rows)


class MoversHoppersMove:
    """One turn. Moves with the same text are the same object, so identity is equality.

    Attributes:
        text: the move in the game's notation.
        source: the bit of the square that a piece leaves; 0 for a set-up and for a pass.
        target: the bit of the square where the piece lands; 0 for a set-up and for a pass.
        over: the set of squares between the two; 0 for a step.
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
        return _interned, (self.text,)  # a copy must be the same object


def _interned(text: str) -> MoversHoppersMove:
    return MOVES[text]


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
        sum(
            GRID.bit[GRID.square[name]]
            for name, letter in zip(order.split(), letters, strict=True)
            if letter == "m"
        )
        for order in _ORDER
    )
    return MoversHoppersMove(letters, movers=(white, red))


WAYS: Final = tuple(_ways_from(square) for square in range(len(GRID.names)))
"""By square: the steps and jumps from it that some position allows, sorted by target."""
PASS: Final = MoversHoppersMove("pass")

_FREE_SETUPS = tuple(_setup("".join(letters)) for letters in product("hm", repeat=EACH))
# By `Variant.is_free`, in ASCII order.
_SETUPS = {
    True: _FREE_SETUPS,
    False: tuple(setup for setup in _FREE_SETUPS if setup.text.count("m") == MOVERS),
}

MOVES: Final = {move.text: move for move in (*(way for ways in WAYS for way in ways), *_FREE_SETUPS, PASS)}
"""Every move, by its text."""


def list_moves(position: MoversHoppersPosition) -> Iterator[MoversHoppersMove]:
    """The set-ups in ASCII order; or the steps and jumps by square and then by target; or only a pass."""
    if position.outcome() is not None:
        return
    if position.pieces[position.turn]:
        yield from _ways(position) or (PASS,)
    else:
        yield from _SETUPS[position.variant.is_free]


def read_move(text: str, position: MoversHoppersPosition) -> MoversHoppersMove | None:
    """The legal move that a text stands for; None if the text is not a legal move."""
    move = MOVES.get(text)
    if move is None or position.outcome() is not None:
        return None
    own = position.pieces[position.turn]
    if move.source:
        occupied = position.pieces[0] | position.pieces[1]
        is_mover = position.movers & move.source != 0
        is_jump = move.over != 0
        if not own & move.source or occupied & move.target or move.over & ~occupied or is_mover == is_jump:
            return None
        return move
    if move is PASS:
        return move if own and not _ways(position) else None
    return move if not own and move in _SETUPS[position.variant.is_free] else None


def _ways(position: MoversHoppersPosition) -> list[MoversHoppersMove]:
    """The steps and jumps of the player to move."""
    free = ~(position.pieces[0] | position.pieces[1])
    movers = position.movers
    return [
        way
        for square in squares(position.pieces[position.turn])
        for way in WAYS[square]
        if not way.over & free and way.target & free and (way.source & movers == 0) == (way.over != 0)
    ]
