"""The evaluation for Éclaircissement. A lit pawn is worth 100."""

from __future__ import annotations

from knowledge import Knowledge

from referee.games.eclaircissement.board import INSIDE
from referee.games.eclaircissement.position import EclaircissementPosition

_LIT = 100
_NOT_HOME = 12  # a lit pawn that must go back to the border
_ON_THE_WAY = 4  # a dark pawn that has left the border


def evaluate(position: EclaircissementPosition) -> int:
    """The value for White: lit pawns, and pawns on and off the border."""
    white, red = position.pawns
    return _side(white, position.lit) - _side(red, position.lit)


def _side(pawns: int, lit: int) -> int:
    own_lit = pawns & lit
    return (
        _LIT * own_lit.bit_count()
        - _NOT_HOME * (own_lit & INSIDE).bit_count()
        + _ON_THE_WAY * (pawns & ~lit & INSIDE).bit_count()
    )


ECLAIRCISSEMENT = Knowledge(evaluate)
