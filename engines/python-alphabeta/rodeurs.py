"""Rôdeurs: what a position is worth. A point is worth 100."""

from __future__ import annotations

from knowledge import Knowledge

from referee.games.rodeurs.board import GREY, GRID
from referee.games.rodeurs.position import RodeursPosition

_POINT = 100
_ALONE = 60  # a pawn without neighbours will hardly be jumped: its points are nearly sure
_A_F = sum(bit for bit, name in zip(GRID.bit, GRID.names, strict=True) if name[0] != "g")
_B_G = sum(bit for bit, name in zip(GRID.bit, GRID.names, strict=True) if name[0] != "a")


def evaluate(position: RodeursPosition) -> int:
    """Points in the other's quarter less those in the own one, and more of both for pawns that are alone."""
    green, yellow, red = position.pawns
    taken = green | yellow | red
    beside = (taken & _A_F) << 1 | (taken & _B_G) >> 1
    wide = taken | beside if position.diagonal else taken
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
