"""What one pawn can do in one action of HOPS, each with its best text: the shortest, then the smallest.

Three kinds of action: those that leave the ball where it is, those of the carrier, and those that take the
ball. Nothing is listed twice: there is one text for each square where an action of a kind can end. Source:
rule sheet 002.

That the shortest way is a legal one needs care only where the ball is taken. As long as a pawn has the ball,
or has it not, no square comes up twice, and so no jump is followed by its reverse. Once it has taken the
ball it may see old squares again, but may not reverse the jumps that led it to the ball.
"""

from __future__ import annotations

from collections.abc import Iterator

from referee.games.hops.board import AHEAD, BIT, GOAL, JUMPS, NAMES, NEAR, OUT, STEPS

__all__ = ["Action", "End", "carrying", "quiet", "taking"]

Action = tuple[int, int, bool]
"""The pawn's square, where it ends (``OUT`` beyond the opponent's home row), whether it takes the ball."""
End = tuple[int, str]
"""Where an action ends, perhaps ``OUT``, and its text."""
Jump = tuple[int, int]
"""From a square to a square."""

_NONE: frozenset[Jump] = frozenset()


def quiet(start: int, around: int) -> list[End]:
    """Steps and jumps without regard to the ball.

    Args:
        start: the pawn's square.
        around: all other pawns.
    """
    ends = [(target, text) for bit, target, text in STEPS[start] if not around & bit]
    if around & NEAR[start]:
        ends += _chains(start, NAMES[start], around)
    return ends


def carrying(start: int, around: int, seat: int) -> list[End]:
    """What the carrier can do, with the shortest way out if there is one."""
    ends = [(target, text) for bit, target, text in STEPS[start] if not around & bit]
    chains = _chains(start, NAMES[start], around)
    if GOAL[seat] & BIT[start]:
        out: str | None = NAMES[start] + "#"
    else:
        out = _way_out([(start, NAMES[start]), *chains], around, seat)
    ends += chains
    if out is not None:
        ends.append((OUT, out))
    return ends


def taking(start: int, around: int, ball: int, seat: int) -> list[End]:
    """The actions of a pawn that takes the ball from the pawn on ``ball``, one of those ``around``."""
    if not around & NEAR[start]:
        return []
    found: dict[int, str] = {}
    taken_from = BIT[ball]
    for here, text, made in _approaches(start, around, taken_from):
        if AHEAD[seat][here] & taken_from:
            _keep(found, OUT, text + "*#")
        back = frozenset((landing, origin) for origin, landing in made)
        for over, bit, landing, name in JUMPS[here]:
            if over == taken_from and not around & bit and (here, landing) not in back:
                taken = f"{text}*{name}"
                ends = [(landing, taken), *_chains(landing, taken, around, back | {(landing, here)})]
                out = _way_out(ends, around, seat)
                if out is not None:
                    _keep(found, OUT, out)
                for end, way in ends:
                    _keep(found, end, way)
    found.pop(start, None)
    return list(found.items())


def _chains(start: int, text: str, around: int, barred: frozenset[Jump] = _NONE) -> list[End]:
    """The squares that jumps lead to, nearest first, each with its best text, which begins with ``text``."""
    shut = around | BIT[start]
    found: list[End] = []
    layer = [(start, text)]
    while layer:
        last, layer = layer, []
        for here, way in last:  # in the order of their texts, so that the first way to a square is the best
            for over, bit, landing, name in JUMPS[here]:
                if around & over and not shut & bit and (here, landing) not in barred:
                    shut |= bit
                    layer.append((landing, way + name))
        found += layer
    return found


def _way_out(ends: list[End], around: int, seat: int) -> str | None:
    """The best text of a jump out from one of ``ends``, which come with their best text first."""
    ahead = AHEAD[seat]
    for here, way in ends:
        if around & ahead[here]:
            return way + "#"
    return None


def _approaches(start: int, around: int, ball: int) -> Iterator[tuple[int, str, tuple[Jump, ...]]]:
    """Every way of jumping, or of none at all, to a square next to the ball: square, text, jumps made."""
    layer: list[tuple[int, str, int, tuple[Jump, ...]]] = [(start, NAMES[start], BIT[start], ())]
    while layer:
        last, layer = layer, []
        for here, way, seen, made in last:
            if NEAR[here] & ball:
                yield here, way, made
            for over, bit, landing, name in JUMPS[here]:
                if around & over and not (around | seen) & bit:
                    layer.append((landing, way + name, seen | bit, (*made, (here, landing))))


def _keep(found: dict[int, str], end: int, text: str) -> None:
    """Note a text unless a better one is known."""
    known = found.get(end)
    if known is None or (len(text), text) < (len(known), known):
        found[end] = text
