"""The moves of Quoridor: the table of all moves, the legal moves of a position, and reading one move.

The module `illegal` explains why a text is not a legal move. Source: rule sheet 004.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from referee.games.common.grid import squares
from referee.games.quoridor.board import ANCHORS, BIT, NAMES

if TYPE_CHECKING:
    from referee.games.quoridor.position import QuoridorPosition

__all__ = [
    "ACROSS",
    "MOVES",
    "PASS",
    "PAWN",
    "SKIP",
    "UPRIGHT",
    "QuoridorMove",
    "count_moves",
    "list_moves",
    "read_move",
]

PAWN: Final = 0
ACROSS: Final = 1
UPRIGHT: Final = 2
SKIP: Final = 3


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


def list_moves(position: QuoridorPosition) -> Iterator[QuoridorMove]:
    """Pawn moves, then horizontal walls, then vertical walls, each by row and then by column.

    If there is none of them, the only move is a pass.
    """
    if position.winner is not None:
        return
    has_move = False
    for square in squares(position.walls.targets(position.pawns, position.turn)):
        yield _PAWN_MOVES[square]
        has_move = True
    if position.hands[position.turn]:
        across, upright = position.walls.placeable(position.pawns, position.seating.goals)
        yield from [move for bit, move in _ACROSS_MOVES if across & bit]
        yield from [move for bit, move in _UPRIGHT_MOVES if upright & bit]
        has_move = has_move or across | upright != 0
    if not has_move:
        yield PASS


def count_moves(position: QuoridorPosition) -> int:
    """The number of moves that `list_moves` yields, counted without making the moves."""
    if position.winner is not None:
        return 0
    count = position.walls.targets(position.pawns, position.turn).bit_count()
    if position.hands[position.turn]:
        across, upright = position.walls.placeable(position.pawns, position.seating.goals)
        count += across.bit_count() + upright.bit_count()
    return count or 1  # the pass


def read_move(text: str, position: QuoridorPosition) -> QuoridorMove | None:
    """The legal move that a text stands for; None if the text is not a legal move."""
    if position.winner is not None:
        return None
    move = MOVES.get(text)
    if move is None:
        is_pass = text == PASS.text and len(position.pawns) > 2 and next(list_moves(position)) is PASS
        return PASS if is_pass else None
    walls, square = position.walls, move.square
    if move.kind == PAWN:
        is_legal = walls.targets(position.pawns, position.turn) & BIT[square] != 0
    elif not position.hands[position.turn]:
        is_legal = False
    elif move.kind == ACROSS:
        is_legal = (
            walls.free_horizontal() & BIT[square] != 0
            and walls.cuts_horizontal(square, position.pawns, position.seating.goals) is None
        )
    else:
        is_legal = (
            walls.free_vertical() & BIT[square] != 0
            and walls.cuts_vertical(square, position.pawns, position.seating.goals) is None
        )
    return move if is_legal else None
