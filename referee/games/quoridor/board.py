"""The board of Quoridor: the start and goal of each player, the table of all moves, and which are legal.

Source: rule sheet 004.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Final

from referee.games.common import KeyedPosition
from referee.games.grid import squares
from referee.games.quoridor.walls import ANCHORS, BIT, NAMES, SIZE, SQUARE, Walls

_BOTTOM = (1 << SIZE) - 1
_LEFT = sum(BIT[SIZE * row] for row in range(SIZE))
_TOP = _BOTTOM << SIZE * (SIZE - 1)
_RIGHT = _LEFT << SIZE - 1

PAWN: Final = 0
ACROSS: Final = 1
UPRIGHT: Final = 2
SKIP: Final = 3


@dataclass(frozen=True, slots=True)
class SeatGeometry:
    """The starts, goals and walls of the players of one game. Each tuple is in seat order."""

    starts: tuple[int, ...]  # the square on which each pawn begins
    goals: tuple[int, ...]  # the set of squares that each player must reach
    goal_names: tuple[str, ...]  # the goals as text for people
    hand: int  # the number of walls that each player has at the start

    @property
    def players(self) -> int:
        """The number of seats."""
        return len(self.starts)


TWO: Final = SeatGeometry(
    starts=(SQUARE["e1"], SQUARE["e9"]),
    goals=(_TOP, _BOTTOM),
    goal_names=("row 9", "row 1"),
    hand=10,
)
FOUR: Final = SeatGeometry(
    starts=(SQUARE["e1"], SQUARE["a5"], SQUARE["e9"], SQUARE["i5"]),
    goals=(_TOP, _RIGHT, _BOTTOM, _LEFT),
    goal_names=("row 9", "column i", "row 1", "column a"),
    hand=5,
)


class QuoridorMove:
    """One turn. Moves with the same text are the same object, so identity is equality.

    Attributes:
        text: the move in the game's notation.
        kind: ``PAWN``, ``ACROSS`` (a horizontal wall), ``UPRIGHT`` (a vertical wall) or ``SKIP`` (a pass).
        square: the target of the pawn or the anchor of the wall; 0 for a pass.
    """

    __slots__ = ("kind", "square", "text")

    def __init__(self, text: str, kind: int, square: int) -> None:
        self.text: Final = text
        self.kind: Final = kind
        self.square: Final = square

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<QuoridorMove {self.text}>"

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return _interned, (self.text,)  # a copy must be the same object


_PAWN_MOVES: Final = tuple(QuoridorMove(name, PAWN, square) for square, name in enumerate(NAMES))
# Each wall move with the bit of its anchor: a loop over all of them is faster than splitting a large set.
_ACROSS_MOVES: Final = tuple((BIT[s], QuoridorMove(f"{NAMES[s]}h", ACROSS, s)) for s in squares(ANCHORS))
_UPRIGHT_MOVES: Final = tuple((BIT[s], QuoridorMove(f"{NAMES[s]}v", UPRIGHT, s)) for s in squares(ANCHORS))
PASS: Final = QuoridorMove("pass", SKIP, 0)

MOVES: Final = {
    move.text: move for move in (*_PAWN_MOVES, *(move for _, move in (*_ACROSS_MOVES, *_UPRIGHT_MOVES)))
}
"""Every move but the pass, by its text."""


def _interned(text: str) -> QuoridorMove:
    return PASS if text == PASS.text else MOVES[text]


class QuoridorBoard(KeyedPosition):
    """The pawns and walls on the board, and whose turn it is."""

    __slots__ = ("hands", "pawns", "seating", "turn", "walls", "winner")

    def __init__(
        self,
        seating: SeatGeometry,
        walls: Walls,
        pawns: tuple[int, ...],
        hands: tuple[int, ...],
        turn: int,
        winner: int | None,
    ) -> None:
        self.seating: Final = seating  # the starts, goals and walls of the players
        self.walls: Final = walls  # the walls on the board
        self.pawns: Final = pawns  # the square of each player's pawn, by seat
        self.hands: Final = hands  # the number of walls that each player has left, by seat
        self.turn: Final = turn  # the seat to move, 0-based; in a finished game, the seat that would be next
        self.winner: Final = winner  # the seat that has reached its goal, or None

    def key(self) -> Hashable:
        """The walls, the pawns, the walls left and the turn; repetition compares these keys."""
        return (self.walls.horizontal, self.walls.vertical, self.pawns, self.hands, self.turn)

    def legal_moves(self) -> Iterator[QuoridorMove]:
        """Pawn moves, then horizontal walls, then vertical walls, each by row and then by column.

        If there is none of them, the only move is a pass.
        """
        if self.winner is not None:
            return
        has_move = False
        for square in squares(self.walls.targets(self.pawns, self.turn)):
            yield _PAWN_MOVES[square]
            has_move = True
        if self.hands[self.turn]:
            across, upright = self.walls.placeable(self.pawns, self.seating.goals)
            yield from [move for bit, move in _ACROSS_MOVES if across & bit]
            yield from [move for bit, move in _UPRIGHT_MOVES if upright & bit]
            has_move = has_move or across | upright != 0
        if not has_move:
            yield PASS

    def count_moves(self) -> int:
        """The number of moves that `legal_moves` yields; perft uses it for the last ply."""
        if self.winner is not None:
            return 0
        count = self.walls.targets(self.pawns, self.turn).bit_count()
        if self.hands[self.turn]:
            across, upright = self.walls.placeable(self.pawns, self.seating.goals)
            count += across.bit_count() + upright.bit_count()
        return count or 1  # the pass

    def find_move(self, text: str) -> QuoridorMove | None:
        """The legal move that a text stands for; None if the text is not a legal move."""
        if self.winner is not None:
            return None
        move = MOVES.get(text)
        if move is None:
            is_pass = text == PASS.text and len(self.pawns) > 2 and next(self.legal_moves()) is PASS
            return PASS if is_pass else None
        walls, square = self.walls, move.square
        if move.kind == PAWN:
            is_legal = walls.targets(self.pawns, self.turn) & BIT[square] != 0
        elif not self.hands[self.turn]:
            is_legal = False
        elif move.kind == ACROSS:
            is_legal = (
                walls.free_horizontal() & BIT[square] != 0
                and walls.cuts_horizontal(square, self.pawns, self.seating.goals) is None
            )
        else:
            is_legal = (
                walls.free_vertical() & BIT[square] != 0
                and walls.cuts_vertical(square, self.pawns, self.seating.goals) is None
            )
        return move if is_legal else None
