"""How long to think: a simple manager that never plans beyond the clock. Milliseconds throughout."""

from __future__ import annotations

__all__ = ["HORIZON", "OVERHEAD", "plan"]

OVERHEAD = 20
"""Kept back for what happens between the end of thinking and the hub's reading of the move."""

HORIZON = 50
"""Moves that a game is taken to last from here when the hub names no number."""


def plan(
    time: int, increment: int = 0, moves_to_go: int | None = None, *, overhead: int = OVERHEAD
) -> tuple[int, int]:
    """Share out a clock: (what one move should take, what it may take at most), each at least 1.

    The share is an equal part of what is left, and half of the increment: a long game settles where 25
    increments are left, so that a hiccup of the machine is no disaster. An increment comes only after the
    move, so the limit looks at what is left now: half of it, or all of it before the clock is filled again.
    """
    left = max(1, time - overhead)
    moves = HORIZON if moves_to_go is None else max(1, min(moves_to_go, HORIZON))
    limit = left if moves == 1 else left // 2
    share = left // moves + increment // 2
    return max(1, min(share, limit)), max(1, min(3 * share, limit))
