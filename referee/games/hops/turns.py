"""Whole turns of HOPS: which two actions go together, the best text of each turn, and whether there is one.

Source: rule sheet 002.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from referee.games.common.grid import squares
from referee.games.hops.actions import carrying, quiet, taking
from referee.games.hops.board import BIT, NEAR, OUT
from referee.games.hops.moves import Action, HopsMove

__all__ = ["State", "has_turn", "turns"]


class State(NamedTuple):
    """What a turn depends on, while the ball is on the board.

    Attributes:
        own: the pawns of the seat to move.
        others: the opponent's.
        ball: the carrier's square.
        seat: the seat to move.
    """

    own: int
    others: int
    ball: int
    seat: int


def turns(state: State) -> list[HopsMove]:
    """One move for each distinct successor, with its canonical text: the shortest first, equals in ASCII."""
    best: dict[tuple[int, int], tuple[int, str, tuple[Action, ...]]] = {}
    for text, actions in _pairs(state):
        own, ball = state.own, state.ball
        for start, end, takes in actions:
            own ^= BIT[start]
            if end != OUT:
                own |= BIT[end]
            if takes or start == ball:
                ball = end
        turn = len(text), text, actions
        known = best.get((own, ball))
        if known is None or turn < known:
            best[own, ball] = turn
    return [HopsMove(text, actions) for _, text, actions in sorted(best.values())]


def has_turn(state: State) -> bool:
    """Whether the seat to move can complete a turn. In nearly every position two steps already show it."""
    own, others, ball, _ = state
    empty = ~(own | others)
    for pawn in [ball] if own & BIT[ball] else squares(own):
        if NEAR[pawn] & empty:
            targets = 0
            for other in squares(own ^ BIT[pawn]):
                targets |= NEAR[other]
            if (targets & empty).bit_count() >= 2:  # one is left, wherever the first pawn steps
                return True
    return next(_pairs(state), None) is not None


def _pairs(state: State) -> Iterator[tuple[str, tuple[Action, ...]]]:
    """Every turn made of the best texts of its actions; many lead to the same position."""
    own, others, ball, seat = state
    for start in squares(own):
        around = own ^ BIT[start] | others
        if start == ball:
            yield from _quiet_after(state, start, around, carrying(start, around, seat), takes=False)
        else:
            yield from _quiet_after(state, start, around, taking(start, around, ball, seat), takes=True)
            yield from _any_after(state, start, around)


def _quiet_after(
    state: State, start: int, around: int, firsts: list[tuple[int, str]], *, takes: bool
) -> Iterator[tuple[str, tuple[Action, ...]]]:
    """The turns whose first action is one of ``firsts``, which change the ball's square."""
    rest = squares(state.own ^ BIT[start])
    for end, text in firsts:
        first = start, end, takes
        if end == OUT:
            yield text, (first,)
            continue
        between = around | BIT[end]
        for other in rest:
            for target, more in quiet(other, between ^ BIT[other]):
                yield f"{text},{more}", (first, (other, target, False))


def _any_after(state: State, start: int, around: int) -> Iterator[tuple[str, tuple[Action, ...]]]:
    """The turns whose first action leaves the ball where it is: the attacker's second must not."""
    own, _, ball, seat = state
    rest = squares(own ^ BIT[start])
    attacks = own & BIT[ball]
    for end, text in quiet(start, around):
        first = start, end, False
        between = around | BIT[end]
        for other in rest:
            remaining = between ^ BIT[other]
            if other == ball:
                for target, more in carrying(other, remaining, seat):
                    yield f"{text},{more}", (first, (other, target, False))
                continue
            for target, more in taking(other, remaining, ball, seat):
                yield f"{text},{more}", (first, (other, target, True))
            if not attacks:
                for target, more in quiet(other, remaining):
                    yield f"{text},{more}", (first, (other, target, False))
