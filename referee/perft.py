"""Counting the positions that a game's rules lead to: the test of rules that published numbers allow.

Counted are canonical moves, so distinct successors of each position; nothing follows a finished game;
adjudication plays no part.
"""

from __future__ import annotations

from collections.abc import Iterator

from referee.game import Move, Position

__all__ = ["divide", "perft"]


def perft(position: Position, depth: int) -> int:
    """How many lines of exactly ``depth`` plies begin here.

    The last ply is counted without being played. A position may offer ``count_moves() -> int``, the length
    of its `legal_moves`, where that can be had quicker than by making them.

    Raises:
        ValueError: for a negative depth.
    """
    if depth < 0:
        raise ValueError(f"a depth is 0 or more plies, not {depth}")
    if depth == 0:
        return 1
    if depth == 1:
        return _leaves(position)
    below = depth - 1
    return sum(perft(position.play(move), below) for move in position.legal_moves())


def divide(position: Position, depth: int) -> Iterator[tuple[Move, int]]:
    """Each first move and the lines that it begins, in the order of `legal_moves`; their sum is the perft.

    Raises:
        ValueError: for a depth below 1, which has no first move.
    """
    if depth < 1:
        raise ValueError(f"a depth to divide is 1 or more plies, not {depth}")
    return ((move, perft(position.play(move), depth - 1)) for move in position.legal_moves())


def _leaves(position: Position) -> int:
    count = getattr(position, "count_moves", None)
    if count is None:
        return sum(1 for _ in position.legal_moves())
    moves: int = count()
    return moves
