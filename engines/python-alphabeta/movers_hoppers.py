"""Movers & Hoppers, and Rampants et sauteurs: what a position is worth. A piece's row is worth 100."""

from __future__ import annotations

from knowledge import Knowledge

from referee.games.movers_hoppers.board import CAMPS, GRID
from referee.games.movers_hoppers.moves import WAYS
from referee.games.movers_hoppers.position import MoversHoppersPosition

_ROW = 100
_LONELY = 200  # a hopper with nobody to jump over, which stays where it is until somebody comes back for it
_IN_THE_WAY = 100  # where the camp must be filled: a piece that has not left it
_STUCK = 300  # one that cannot leave
_FEW = 3  # only so many of them are looked at: in the beginning all are stuck
_HALF = (1 << 12) - 1
_A_B, _B_C = (
    sum(bit for bit, name in zip(GRID.bit, GRID.names, strict=True) if name[0] in two) for two in ("ab", "bc")
)


def _sums(first_row: int) -> list[int]:
    """For each set of squares in four rows: its pieces' rows together, the lowest counting ``first_row``."""
    sums = [0] * (_HALF + 1)
    for bits in range(1, _HALF + 1):
        low = bits & -bits
        sums[bits] = sums[bits ^ low] + _ROW * (first_row + (low.bit_length() - 1) // GRID.columns)
    return sums


_LOWER, _UPPER = _sums(0), _sums(4)


def _rows(pieces: int) -> int:
    """How far the pieces are from the first row, together."""
    return _LOWER[pieces & _HALF] + _UPPER[pieces >> 12]


def _near(occupied: int) -> int:
    """The squares that are next to a piece."""
    beside = (occupied & _A_B) << 1 | (occupied & _B_C) >> 1
    wide = occupied | beside
    return beside | wide << 3 | wide >> 3


def evaluate(position: MoversHoppersPosition) -> int:
    """Rows gone, and who is left behind."""
    white, red = position.pieces
    if not red:
        return 0  # not set up yet
    value = _rows(white) + _rows(red) - 7 * _ROW * red.bit_count()
    lonely = ~(position.movers | _near(white | red))
    if lonely & (white | red):
        value -= _LONELY * (lonely & white & ~CAMPS[1]).bit_count()
        value += _LONELY * (lonely & red & ~CAMPS[0]).bit_count()
    return value


def evaluate_rampants(position: MoversHoppersPosition) -> int:
    """The same, and who is still in the camp that the other has to fill, and cannot before they leave."""
    white, red = position.pieces
    value = evaluate(position)
    if white & CAMPS[1]:
        value -= _obstacles(red & CAMPS[1], position)
    if red & CAMPS[0]:
        value += _obstacles(white & CAMPS[0], position)
    return value


def _obstacles(pieces: int, position: MoversHoppersPosition) -> int:
    count = pieces.bit_count()
    if not 0 < count <= _FEW:
        return _IN_THE_WAY * count
    occupied = position.pieces[0] | position.pieces[1]
    return _IN_THE_WAY * count + _STUCK * sum(
        not _can_go(square, occupied, is_mover=position.movers >> square & 1)
        for square in range(len(GRID.names))
        if pieces >> square & 1
    )


def _can_go(square: int, occupied: int, *, is_mover: int) -> bool:
    return any(
        not way.target & occupied and not way.over & ~occupied and (way.over == 0) == is_mover
        for way in WAYS[square]
    )


MOVERS_HOPPERS = Knowledge(evaluate)
RAMPANTS = Knowledge(evaluate_rampants)
