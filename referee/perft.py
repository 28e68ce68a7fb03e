"""Perft: counts the sequences of moves that the rules allow, to compare them with published numbers.

In each position, it counts the moves of `legal_moves`: one for each distinct next position. A finished game
has no moves, and there is no adjudication.
"""

from __future__ import annotations

from collections.abc import Iterator

from referee.game import Move, Position


def perft(position: Position, depth: int) -> int:
    """Return the number of sequences of exactly ``depth`` plies from a position.

    The moves of the last ply are counted and not played. A position may have a method
    ``count_moves() -> int`` that returns the number of its `legal_moves` without generating them.

    Raises:
        ValueError: the depth is negative.
    """
    if depth < 0:
        raise ValueError(f"the depth must be at least 0, not {depth}")
    if depth == 0:
        return 1
    if depth == 1:
        count = getattr(position, "count_moves", None)
        return sum(1 for _ in position.legal_moves()) if count is None else int(count())
    remaining = depth - 1
    return sum(perft(position.play(move), remaining) for move in position.legal_moves())


def divide(position: Position, depth: int) -> Iterator[tuple[Move, int]]:
    """Yield each legal move with the perft of ``depth - 1`` after it, in the order of `legal_moves`.

    The sum of the counts is the perft of ``depth``.

    Raises:
        ValueError: the depth is below 1.
    """
    if depth < 1:
        raise ValueError(f"the depth to divide must be at least 1, not {depth}")
    return ((move, perft(position.play(move), depth - 1)) for move in position.legal_moves())
