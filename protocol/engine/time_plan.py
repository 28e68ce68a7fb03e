"""Decides how long an engine thinks about one move. All times are milliseconds."""

from __future__ import annotations

__all__ = ["HORIZON", "OVERHEAD", "plan"]

OVERHEAD = 20
"""Time reserved for sending the move: from the end of the search until the hub has read it."""

HORIZON = 50
"""The number of moves that share the remaining time, if the hub sends no ``movestogo``."""


def plan(
    time: int, increment: int = 0, moves_to_go: int | None = None, *, overhead: int = OVERHEAD
) -> tuple[int, int]:
    """Return the time that the next move should take, and its limit; each is at least 1.

    The time for a move is an equal part of the remaining time plus half of the increment. In a long game the
    clock then settles at about 25 increments, which are a reserve for delays of the machine. The limit is
    three times that time, but at most half of the remaining time, because the increment comes only after the
    move. The last move before the clock is refilled may take all of the remaining time.
    """
    available = max(1, time - overhead)
    moves = HORIZON if moves_to_go is None else max(1, min(moves_to_go, HORIZON))
    limit = available if moves == 1 else available // 2
    share = available // moves + increment // 2
    return max(1, min(share, limit)), max(1, min(3 * share, limit))
