"""Éclaircissement: what a position is worth. A lit pawn is worth 100."""

from __future__ import annotations

from knowledge import Knowledge

from referee.games.eclaircissement.board import INSIDE
from referee.games.eclaircissement.position import EclaircissementPosition

_LIT = 100
_NOT_HOME = 12  # a lit pawn that has to go back to the border
_ON_THE_WAY = 4  # a dark one that has left it


def evaluate(position: EclaircissementPosition) -> int:
    """Pawns lit, and where they are."""
    white, red = position.pawns
    return _side(white, position.lit) - _side(red, position.lit)


def _side(pawns: int, lit: int) -> int:
    bright = pawns & lit
    return (
        _LIT * bright.bit_count()
        - _NOT_HOME * (bright & INSIDE).bit_count()
        + _ON_THE_WAY * (pawns & ~lit & INSIDE).bit_count()
    )


ECLAIRCISSEMENT = Knowledge(evaluate)
