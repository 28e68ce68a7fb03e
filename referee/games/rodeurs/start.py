"""Where Rôdeurs begins: the square colours and pawns of the default start and of seeded random ones.

Each is made for the lower half and mirrored in the grey row: opposite squares have different colours, and
equal pawns. Source: rule sheet 001.
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
    """White squares and pawns, both in diagonal lines."""
    return _mirrored(_WHITE, _COLOURS)


def random_start(seed: int) -> tuple[int, Pawns]:
    """White squares by lot, and the default start's pawns in an order by lot; the same on every machine."""
    lot = random.Random(seed)
    white = [lot.random() < 0.5 for _ in _HALF]
    return _mirrored(white, sorted(_COLOURS, key=lambda _: lot.random()))


def _mirrored(white: Sequence[bool], colours: Sequence[int]) -> tuple[int, Pawns]:
    """The whole board.

    Args:
        white: by square of the lower half, whether it is white.
        colours: the same, which pawn stands there: 0 green, 1 yellow, 2 red.
    """
    bit = GRID.bit
    light = sum(bit[square if white[square] else MIRROR[square]] for square in _HALF)
    green, yellow, red = (
        sum(bit[square] | bit[MIRROR[square]] for square in _HALF if colours[square] == colour)
        for colour in range(3)
    )
    return light, (green, yellow, red)
