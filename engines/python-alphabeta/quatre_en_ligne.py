"""The evaluation for Quatre en ligne, and a test for wins in one move.

Squares and sets of squares are as in `referee.games.quatre_en_ligne.board`. A shift of a set by one of the
numbers in `_DIRECTIONS` moves it one square in that direction.
"""

from __future__ import annotations

from collections.abc import Iterator

from knowledge import Knowledge

from referee.games.grid import squares
from referee.games.quatre_en_ligne.board import BIT, SIZE, beside, reach
from referee.games.quatre_en_ligne.position import QuatrePosition

_UP = 20
_TWO = 8  # for each line of four squares with two or three face-up pieces and no piece of the opponent
_THREE = 42  # added to `_TWO` for three face-up pieces
_NEAR = 5  # for each pair of pieces, face up or down, that are one or two squares apart in a line
_DIRECTIONS = (1, SIZE, SIZE + 1, SIZE - 1)


def evaluate(position: QuatrePosition) -> int:
    """The value for White: face-up pieces, lines that can still become four, and pieces close together."""
    white, red = position.pieces
    return _side(white, position.up, red) - _side(red, position.up, white)


def _side(pieces: int, all_up: int, others: int) -> int:
    up = pieces & all_up
    value = _UP * up.bit_count()
    for step in _DIRECTIONS:
        value += _NEAR * (pieces & (pieces >> step | pieces >> 2 * step)).bit_count()
        second, third, fourth = up >> step, up >> 2 * step, up >> 3 * step
        two = up & (second | third | fourth) | second & (third | fourth) | third & fourth
        if two:
            two &= ~(others | others >> step | others >> 2 * step | others >> 3 * step)
            three = two & (up & second & (third | fourth) | third & fourth & (up | second))
            value += _TWO * two.bit_count() + _THREE * three.bit_count()
    return value


def wins_this_turn(position: QuatrePosition) -> bool:
    """Whether the seat to move can complete a line.

    The answer is rarely wrong: the test assumes that every tile can move.
    """
    pieces = position.pieces[position.turn]
    up = pieces & position.up
    occupied = position.pieces[0] | position.pieces[1]
    places = (position.tiles | beside(position.tiles)) & ~occupied
    for target, line in _gaps(up):
        if places & BIT[target]:
            for source in squares(pieces & ~line):
                if reach(source, occupied) & BIT[target] and _is_jump(source, target) != bool(
                    up & BIT[source]
                ):
                    return True
    return False


def _gaps(up: int) -> Iterator[tuple[int, int]]:
    """The squares where a fourth piece would complete a line, each with the squares of the line."""
    for step in _DIRECTIONS:
        first, second, third, fourth = up, up >> step, up >> 2 * step, up >> 3 * step
        if not (first & second & (third | fourth) | third & fourth & (first | second)):
            continue
        for place, three in enumerate(
            (second & third & fourth, first & third & fourth, first & second & fourth, first & second & third)
        ):
            for start in squares(three):
                line = BIT[start] | BIT[start + step] | BIT[start + 2 * step] | BIT[start + 3 * step]
                yield start + place * step, line


def _is_jump(source: int, target: int) -> bool:
    row, column = divmod(source, SIZE)
    to_row, to_column = divmod(target, SIZE)
    return max(abs(row - to_row), abs(column - to_column)) == 2


QUATRE_EN_LIGNE = Knowledge(evaluate, (60, 30, 15), wins_this_turn)
