"""The evaluation for Rôdeurs. A point is worth 100."""

from __future__ import annotations

from knowledge import Knowledge

from referee.games.rodeurs.board import GREY, GRID
from referee.games.rodeurs.position import RodeursPosition

_POINT = 100
_ALONE = 60  # a pawn without neighbours: it will probably stay, so its points count more
_A_F = GRID.in_columns("abcdef")
_B_G = GRID.in_columns("bcdefg")


def evaluate(position: RodeursPosition) -> int:
    """The value for player 1: points in player 2's quarter minus points in player 1's quarter.

    Pawns without neighbours count more.
    """
    green, yellow, red = position.pawns
    occupied = green | yellow | red
    beside = (occupied & _A_F) << 1 | (occupied & _B_G) >> 1
    wide = occupied | beside if position.diagonal else occupied
    alone = ~(beside | wide << GRID.columns | wide >> GRID.columns)
    white = position.white
    black = GRID.all ^ GREY ^ white
    value = 0
    for cost, pawns in enumerate(position.pawns, 1):
        lead = (pawns & black).bit_count() - (pawns & white).bit_count()
        sure = (pawns & alone & black).bit_count() - (pawns & alone & white).bit_count()
        value += cost * (_POINT * lead + _ALONE * sure)
    return value


RODEURS = Knowledge(evaluate, (1000, 12, 8))
