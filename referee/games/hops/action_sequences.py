"""The turns of HOPS: all sequences of actions that make a turn, and whether a player can complete one.

The functions share these arguments: ``own`` is the set of pawns of the seat to move, ``others`` the set of
the opponent's pawns, ``ball`` the square of the carrier, and ``seat`` the seat to move.

Source: rule sheet 002.
"""

from __future__ import annotations

from collections.abc import Iterator

from referee.games.common.grid import squares
from referee.games.hops.actions import Action, End, carrying, quiet, taking
from referee.games.hops.board import BIT, NEAR, OUT

__all__ = ["ActionSequence", "has_turn", "turns"]

ActionSequence = tuple[str, tuple[Action, ...]]
"""The text of a turn, and its one or two actions."""


def turns(own: int, others: int, ball: int, seat: int) -> Iterator[ActionSequence]:
    """The turns, with the best text of each action. Several turns can lead to the same position."""
    for start in squares(own):
        around = own ^ BIT[start] | others
        if start == ball:
            yield from _quiet_after(own, start, around, carrying(start, around, seat), takes=False)
        else:
            yield from _quiet_after(own, start, around, taking(start, around, ball, seat), takes=True)
            yield from _any_after(own, start, around, ball, seat)


def has_turn(own: int, others: int, ball: int, seat: int) -> bool:
    """Whether the seat to move can complete a turn. Most positions have a turn of two single steps."""
    empty = ~(own | others)
    for pawn in [ball] if own & BIT[ball] else squares(own):
        if NEAR[pawn] & empty:
            targets = 0
            for other in squares(own ^ BIT[pawn]):
                targets |= NEAR[other]
            if (targets & empty).bit_count() >= 2:  # the first pawn can occupy only one of them
                return True
    return next(turns(own, others, ball, seat), None) is not None


def _quiet_after(
    own: int, start: int, around: int, firsts: list[End], *, takes: bool
) -> Iterator[ActionSequence]:
    """The turns whose first action is one of ``firsts``. It moves the ball; the second must not."""
    rest = squares(own ^ BIT[start])
    for end, text in firsts:
        first = start, end, takes
        if end == OUT:
            yield text, (first,)
            continue
        between = around | BIT[end]
        for other in rest:
            for target, more in quiet(other, between ^ BIT[other]):
                yield f"{text},{more}", (first, (other, target, False))


def _any_after(own: int, start: int, around: int, ball: int, seat: int) -> Iterator[ActionSequence]:
    """The turns whose first action does not move the ball. If the seat has the ball, the second moves it."""
    rest = squares(own ^ BIT[start])
    has_ball = own & BIT[ball]
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
            if not has_ball:
                for target, more in quiet(other, remaining):
                    yield f"{text},{more}", (first, (other, target, False))
