"""The start positions of Rôdeurs: square colours and pawns, by default and from a random seed.

The functions make the lower half of the board and mirror it in the grey row. Opposite squares have different
colours and equal pawns. Source: rule sheet 001.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from referee.games.rodeurs.board import GRID, MIRROR, Pawns

__all__ = ["default_start", "random_start"]

_HALF = range(GRID.columns * (GRID.rows // 2))
_WHITE = tuple((square % GRID.columns + square // GRID.columns) % 2 == 1 for square in _HALF)
_COLOURS = tuple((square % GRID.columns + square // GRID.columns) % 3 for square in _HALF)


def default_start() -> tuple[int, Pawns]:
    """The white squares and the pawns of the default start. Both form diagonal lines."""
    return _mirrored(_WHITE, _COLOURS)


def random_start(seed: int) -> tuple[int, Pawns]:
    """Random white squares, and the pawns of the default start in random order.

    The same seed gives the same start on every machine.
    """
    rng = random.Random(seed)
    white = [rng.random() < 0.5 for _ in _HALF]
    return _mirrored(white, sorted(_COLOURS, key=lambda _: rng.random()))


def _mirrored(white: Sequence[bool], colours: Sequence[int]) -> tuple[int, Pawns]:
    """The white squares and the pawns of the whole board.

    Args:
        white: for each square of the lower half, whether it is white.
        colours: for each square of the lower half, the colour of its pawn: 0 green, 1 yellow, 2 red.
    """
    bit = GRID.bit
    light = sum(bit[square if white[square] else MIRROR[square]] for square in _HALF)
    green, yellow, red = (
        sum(bit[square] | bit[MIRROR[square]] for square in _HALF if colours[square] == colour)
        for colour in range(3)
    )
    return light, (green, yellow, red)
