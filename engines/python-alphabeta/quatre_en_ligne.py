"""Quatre en ligne: what a position is worth, and whether four in a line can be made at once.

Squares and sets of them are those of `referee.games.quatre_en_ligne.board`: a shift by a way's number goes
one place on in its direction.
"""

from __future__ import annotations

from collections.abc import Iterator

from knowledge import Knowledge

from referee.games.common.grid import squares
from referee.games.quatre_en_ligne.board import BIT, SIZE, beside, reach
from referee.games.quatre_en_ligne.position import QuatrePosition

_UP = 20
_TWO = 8  # for each four places in a line, free of the opponent, with two or three face-up pieces on them
_THREE = 42  # and this besides for three
_NEAR = 5  # for each two pieces, whatever their faces, that are next to each other in a line or next but one
_WAYS = (1, SIZE, SIZE + 1, SIZE - 1)


def evaluate(position: QuatrePosition) -> int:
    """Pieces face up, those in lines that can still become four, and how close pieces stand."""
    white, red = position.pieces
    return _side(white, position.up, red) - _side(red, position.up, white)


def _side(own: int, all_up: int, others: int) -> int:
    up = own & all_up
    value = _UP * up.bit_count()
    for way in _WAYS:
        value += _NEAR * (own & (own >> way | own >> 2 * way)).bit_count()
        second, third, fourth = up >> way, up >> 2 * way, up >> 3 * way
        two = up & (second | third | fourth) | second & (third | fourth) | third & fourth
        if two:
            two &= ~(others | others >> way | others >> 2 * way | others >> 3 * way)
            three = two & (up & second & (third | fourth) | third & fourth & (up | second))
            value += _TWO * two.bit_count() + _THREE * three.bit_count()
    return value


def wins_at_once(position: QuatrePosition) -> bool:
    """Whether the seat to move can complete a line; nearly always right: any tile is taken to be movable."""
    own = position.pieces[position.turn]
    up = own & position.up
    occupied = position.pieces[0] | position.pieces[1]
    places = (position.tiles | beside(position.tiles)) & ~occupied
    for target, line in _gaps(up):
        if places & BIT[target]:
            for source in squares(own & ~line):
                if reach(source, occupied) & BIT[target] and _is_jump(source, target) != bool(
                    up & BIT[source]
                ):
                    return True
    return False


def _gaps(up: int) -> Iterator[tuple[int, int]]:
    """Where a fourth piece would complete a line, and the squares of the line."""
    for way in _WAYS:
        first, second, third, fourth = up, up >> way, up >> 2 * way, up >> 3 * way
        if not (first & second & (third | fourth) | third & fourth & (first | second)):
            continue
        for place, three in enumerate(
            (second & third & fourth, first & third & fourth, first & second & fourth, first & second & third)
        ):
            for start in squares(three):
                line = BIT[start] | BIT[start + way] | BIT[start + 2 * way] | BIT[start + 3 * way]
                yield start + place * way, line


def _is_jump(source: int, target: int) -> bool:
    row, column = divmod(source, SIZE)
    to_row, to_column = divmod(target, SIZE)
    return max(abs(row - to_row), abs(column - to_column)) == 2


QUATRE_EN_LIGNE = Knowledge(evaluate, (60, 30, 15), wins_at_once)
