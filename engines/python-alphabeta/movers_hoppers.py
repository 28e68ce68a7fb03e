"""The evaluations for Movers & Hoppers and Rampants et sauteurs. A row that a piece advances is worth 100."""

from __future__ import annotations

from knowledge import Knowledge

from referee.games.movers_hoppers.board import CAMPS, GRID, WAYS
from referee.games.movers_hoppers.position import MoversHoppersPosition

_ROW = 100
_LONELY = 200  # a hopper without a neighbour: it cannot jump until another piece comes back to it
_IN_THE_WAY = 100  # a piece that is still in its camp, if the opponent must fill this camp
_STUCK = 300  # such a piece that cannot move
_FEW = 3  # stuck pieces count only if at most three are left in the camp: at first all are stuck
_HALF = (1 << 12) - 1
_A_B, _B_C = GRID.in_columns("ab"), GRID.in_columns("bc")


def _sums(first_row: int) -> list[int]:
    """For each set of squares in four rows, the sum of the rows; the lowest row counts ``first_row``."""
    sums = [0] * (_HALF + 1)
    for bits in range(1, _HALF + 1):
        lowest = bits & -bits
        sums[bits] = sums[bits ^ lowest] + _ROW * (first_row + (lowest.bit_length() - 1) // GRID.columns)
    return sums


_LOWER, _UPPER = _sums(0), _sums(4)


def _rows(pieces: int) -> int:
    """The sum of the distances of the pieces from the first row."""
    return _LOWER[pieces & _HALF] + _UPPER[pieces >> 12]


def _near(occupied: int) -> int:
    """The squares that are next to a piece."""
    beside = (occupied & _A_B) << 1 | (occupied & _B_C) >> 1
    wide = occupied | beside
    return beside | wide << 3 | wide >> 3


def evaluate(position: MoversHoppersPosition) -> int:
    """The value for White: rows advanced, and lonely hoppers."""
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
    """The value of `evaluate`, and the pieces in the camps that the opponent must fill."""
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
