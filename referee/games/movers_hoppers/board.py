"""The board of Movers & Hoppers: its squares, the camps, the table of all moves, and which of them are legal.

Squares are numbers and sets of squares are ints, as in `referee.games.grid`. A *way* is a step or a jump: it
goes from one square to another in a straight line. If no square is between them, it is the step of a mover.
Otherwise it is the jump of a hopper, which needs a piece on each square between them. Source: rule sheets 000
and 003.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Final

from referee.games.common import KeyedPosition
from referee.games.grid import EIGHT, Grid, squares
from referee.outcome import Outcome

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

SETUP_SQUARES: Final = (("a1", "b1", "c1", "a2", "b2", "c2"), ("a8", "b8", "c8", "a7", "b7", "c7"))
"""By seat: the squares that the letters of a set-up are for, from the player's back row."""
_LONGEST: Final = max(GRID.columns, GRID.rows)
_ALL = tuple(Outcome.win(seat, 2, "camp") for seat in range(2))
_FULL = tuple(Outcome.win(seat, 2, "full") for seat in range(2))


@dataclass(frozen=True, slots=True)
class Variant:
    """The differences between the games."""

    is_free: bool  # whether the players choose how many of their pieces begin as movers
    is_won_when_full: bool  # whether one piece in the opposite camp wins if that camp is full


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
        sum(GRID.bit[GRID.square[name]] for name, letter in zip(order, letters, strict=True) if letter == "m")
        for order in SETUP_SQUARES
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


class MoversHoppersBoard(KeyedPosition):
    """The pieces on the board, and whose turn it is.

    Attributes:
        variant: the variant of the rules.
        pieces: the squares of White's and of Red's pieces; 0 for a player who has not set up yet.
        movers: the squares of the pieces that are movers; the others are hoppers.
        turn: the seat to move, 0-based; in a finished game, the seat that would be next.
    """

    __slots__ = ("movers", "pieces", "turn", "variant")

    def __init__(self, variant: Variant, pieces: tuple[int, int], movers: int, turn: int) -> None:
        self.variant: Final = variant
        self.pieces: Final = pieces
        self.movers: Final = movers
        self.turn: Final = turn

    def legal_moves(self) -> Iterator[MoversHoppersMove]:
        """The set-ups in ASCII order; or the steps and jumps by square and then by target; or only a pass."""
        if self.outcome() is not None:
            return
        if self.pieces[self.turn]:
            yield from self._ways() or (PASS,)
        else:
            yield from _SETUPS[self.variant.is_free]

    def find_move(self, text: str) -> MoversHoppersMove | None:
        """The legal move that a text stands for; None if the text is not a legal move."""
        move = MOVES.get(text)
        if move is None or self.outcome() is not None:
            return None
        own = self.pieces[self.turn]
        if move.source:
            occupied = self.pieces[0] | self.pieces[1]
            is_mover = self.movers & move.source != 0
            is_jump = move.over != 0
            if (
                not own & move.source
                or occupied & move.target
                or move.over & ~occupied
                or is_mover == is_jump
            ):
                return None
            return move
        if move is PASS:
            return move if own and not self._ways() else None
        return move if not own and move in _SETUPS[self.variant.is_free] else None

    def _ways(self) -> list[MoversHoppersMove]:
        """The steps and jumps of the player to move."""
        free = ~(self.pieces[0] | self.pieces[1])
        movers = self.movers
        return [
            way
            for square in squares(self.pieces[self.turn])
            for way in WAYS[square]
            if not way.over & free and way.target & free and (way.source & movers == 0) == (way.over != 0)
        ]

    def outcome(self) -> Outcome | None:
        """The win of the player who has reached the opposite camp, or None.

        If both players have reached it, the player who has just moved wins.
        """
        pieces, turn = self.pieces, self.turn
        if not pieces[1]:
            return None
        occupied = pieces[0] | pieces[1]
        for seat in (1 - turn, turn):
            own, camp = pieces[seat], CAMPS[1 - seat]
            if own == camp:
                return _ALL[seat]
            if own & camp and not camp & ~occupied and self.variant.is_won_when_full:
                return _FULL[seat]
        return None

    def key(self) -> Hashable:
        """The pieces, the movers and the turn; repetition compares these keys."""
        return (self.pieces, self.movers, self.turn)

    def identity(self) -> Hashable:
        """The key, and the variant of the rules."""
        return (self.key(), self.variant)
