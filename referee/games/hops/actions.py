"""The single actions of HOPS: all actions of one pawn, each with its best text.

The best text is the shortest; of equally short texts it is the smallest in ASCII order. There are three kinds
of actions: those that do not move the ball, those of the carrier, and those that take the ball. Each kind has
a function, which lists one text for each square where an action of this kind can end.

A pawn does not visit a square twice with the ball, or twice without it. After the pawn has taken the ball, it
may visit its earlier squares again, but it may not reverse the jumps that it made before. The code checks
only this case, because a pawn that reverses any other jump visits a square twice. Source: rule sheet 002.
"""

from __future__ import annotations

from collections.abc import Iterator

from referee.games.hops.board import AHEAD, BIT, GOAL, JUMPS, NAMES, NEAR, OUT, STEPS

__all__ = ["Action", "End", "carrying", "quiet", "taking"]

Action = tuple[int, int, bool]
"""The start of the pawn, its end (``OUT`` beyond the opponent's home row), and whether it takes the ball."""
End = tuple[int, str]
"""The square where an action ends, or ``OUT``, and the text of the action."""
Jump = tuple[int, int]
"""The start and the landing of a jump."""

_NONE: frozenset[Jump] = frozenset()


def quiet(start: int, around: int) -> list[End]:
    """The steps and jumps that do not move the ball.

    Args:
        start: the square of the pawn.
        around: the squares of all other pawns.
    """
    ends = [(target, text) for bit, target, text in STEPS[start] if not around & bit]
    if around & NEAR[start]:
        ends += _chains(start, NAMES[start], around)
    return ends


def carrying(start: int, around: int, seat: int) -> list[End]:
    """The actions of the carrier. Of the texts that carry the ball out, only the best one is listed."""
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
    """The actions in which the pawn on ``start`` takes the ball from the pawn on ``ball``."""
    if not around & NEAR[start]:
        return []
    best: dict[int, str] = {}
    taken_from = BIT[ball]
    for here, text, made in _approaches(start, around, taken_from):
        if AHEAD[seat][here] & taken_from:
            _keep_best(best, OUT, text + "*#")
        reverse_jumps = frozenset((landing, origin) for origin, landing in made)
        for over, bit, landing, name in JUMPS[here]:
            if over == taken_from and not around & bit and (here, landing) not in reverse_jumps:
                prefix = f"{text}*{name}"
                barred = reverse_jumps | {(landing, here)}
                ends = [(landing, prefix), *_chains(landing, prefix, around, barred)]
                out = _way_out(ends, around, seat)
                if out is not None:
                    _keep_best(best, OUT, out)
                for end, path in ends:
                    _keep_best(best, end, path)
    best.pop(start, None)
    return list(best.items())


def _chains(start: int, text: str, around: int, barred: frozenset[Jump] = _NONE) -> list[End]:
    """The squares that jumps reach, fewest jumps first, each with its best text.

    The texts begin with ``text``.
    """
    blocked = around | BIT[start]
    ends: list[End] = []
    layer = [(start, text)]
    while layer:
        last, layer = layer, []
        for here, path in last:  # sorted by text, so the first path to a square is the best one
            for over, bit, landing, name in JUMPS[here]:
                if around & over and not blocked & bit and (here, landing) not in barred:
                    blocked |= bit
                    layer.append((landing, path + name))
        ends += layer
    return ends


def _way_out(ends: list[End], around: int, seat: int) -> str | None:
    """The best text of a jump out from one of ``ends``, which are sorted by text; or None."""
    ahead = AHEAD[seat]
    for here, path in ends:
        if around & ahead[here]:
            return path + "#"
    return None


def _approaches(start: int, around: int, ball: int) -> Iterator[tuple[int, str, tuple[Jump, ...]]]:
    """Every path of no jumps or more to a square next to the ball, as (square, text, jumps made)."""
    layer: list[tuple[int, str, int, tuple[Jump, ...]]] = [(start, NAMES[start], BIT[start], ())]
    while layer:
        last, layer = layer, []
        for here, path, seen, made in last:
            if NEAR[here] & ball:
                yield here, path, made
            for over, bit, landing, name in JUMPS[here]:
                if around & over and not (around | seen) & bit:
                    layer.append((landing, path + name, seen | bit, (*made, (here, landing))))


def _keep_best(best: dict[int, str], end: int, text: str) -> None:
    """Store a text unless ``best`` has a better one."""
    previous = best.get(end)
    if previous is None or (len(text), text) < (len(previous), previous):
        best[end] = text
