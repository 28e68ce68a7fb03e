"""The evaluation for HOPS, and a test for wins in one turn. A row that the ball advances is worth 40."""

from __future__ import annotations

from collections.abc import Iterator

from knowledge import Knowledge

from referee.games.grid import squares
from referee.games.hops.board import AHEAD, BEFORE_GOAL, BIT, GOAL, GRID, JUMPS, STEPS
from referee.games.hops.position import HopsPosition

_ROW = 40
_BALL = 50
_ODD_ROWS = sum(bit for square, bit in enumerate(GRID.bit) if square // GRID.columns % 2)
assert (BEFORE_GOAL[0] | BEFORE_GOAL[1]) & ~_ODD_ROWS == 0


def evaluate(position: HopsPosition) -> int:
    """The value for Blue: the row of the ball, and who has it."""
    ball = position.ball
    return _ROW * (ball // GRID.columns - 3) + (_BALL if position.blue >> ball & 1 else -_BALL)


def wins_this_turn(position: HopsPosition) -> bool:
    """Whether the seat to move can carry the ball out in this turn.

    It can do so in the first action, or in the second one if the first one does not move the ball. The answer
    is wrong in about one of a hundred positions, because the test does not try all paths of a pawn that takes
    the ball.
    """
    seat, ball = position.turn, position.ball
    pawns = position.red if seat else position.blue
    occupied = position.blue | position.red
    has_ball = pawns & BIT[ball]
    if has_ball and GOAL[seat] & BIT[ball]:
        return True
    # A jump goes two rows or none, so a pawn can jump out only from every second row.
    carrier = has_ball & _ODD_ROWS
    takers = squares(pawns & _ODD_ROWS & ~BIT[ball])
    if not carrier and not takers:
        return False
    if _goes_out(occupied, ball, carrier, takers, seat):
        return True
    for start in squares(pawns & ~BIT[ball]):
        others = [taker for taker in takers if taker != start]
        for after in _after_quiet(start, occupied ^ BIT[start]):
            if _goes_out(after, ball, carrier, others, seat):
                return True
    return False


def _after_quiet(start: int, around: int) -> Iterator[int]:
    """The squares of all pawns after each action of the pawn on ``start``, which does not have the ball.

    Args:
        start: the square of the pawn.
        around: the squares of all other pawns.
    """
    ends = 0
    for bit, _, _ in STEPS[start]:
        ends |= bit
    for end, _ in _chain(start, around)[1:]:
        ends |= BIT[end]
    for end in squares(ends & ~around):
        yield around | BIT[end]


def _goes_out(occupied: int, ball: int, carrier: int, takers: list[int], seat: int) -> bool:
    """Whether one action carries the ball out."""
    if carrier and _jumps_out(ball, occupied ^ carrier, seat):
        return True
    return any(_takes_out(taker, occupied ^ BIT[taker], ball, seat) for taker in takers)


def _chain(start: int, around: int, barred: int = -1) -> list[tuple[int, int]]:
    """The start, and the squares that jumps reach, each with the square before it.

    The first jump must not land on ``barred``.
    """
    seen = around | BIT[start]
    reached = [(start, -1)]
    for here, _ in reached:
        for over, bit, landing, _ in JUMPS[here]:
            if around & over and not seen & bit and (landing != barred or here != start):
                seen |= bit
                reached.append((landing, here))
    return reached


def _jumps_out(start: int, around: int, seat: int, barred: int = -1) -> bool:
    """Whether a pawn with the ball can jump out."""
    ahead = AHEAD[seat]
    return any(ahead[here] & around for here, _ in _chain(start, around, barred))


def _takes_out(start: int, around: int, ball: int, seat: int) -> bool:
    """Whether a pawn can take the ball and jump out with it, without reversing its last jump."""
    taken_from, ahead = BIT[ball], AHEAD[seat]
    for here, before in _chain(start, around):
        if ahead[here] & taken_from:
            return True
        for over, bit, landing, _ in JUMPS[here]:
            if (
                over == taken_from
                and not around & bit
                and landing != before
                and _jumps_out(landing, around, seat, here)
            ):
                return True
    return False


HOPS = Knowledge(evaluate, (1, 8, 6), wins_this_turn)
