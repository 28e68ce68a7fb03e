"""What the search has to know of a game besides its rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Knowledge:
    """One game.

    Attributes:
        evaluate: the value for the first seat, in hundredths of the game's unit, of a position in which the
            game goes on.
        widths: how many moves are looked at where one ply is left, two are, and so on; the last number is
            for all that are more. Where all of them lose, others are looked at too. () for all moves.
        wins_at_once: whether the seat to move has a winning move, asked after the last ply; None where a
            search that is one ply deeper finds that out as quickly.
    """

    evaluate: Callable[[Any], int]
    widths: tuple[int, ...] = ()
    wins_at_once: Callable[[Any], bool] | None = None

    def width(self, depth: int) -> int:
        """How many moves are looked at where ``depth`` plies are left."""
        return self.widths[min(depth, len(self.widths)) - 1] if self.widths else _ALL


_ALL = 1_000_000
