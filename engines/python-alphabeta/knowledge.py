"""The evaluation and the search widths of a game, which the search needs beside the rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Knowledge:
    """The knowledge about one game.

    Attributes:
        evaluate: returns the value of an unfinished position for the first seat, in hundredths of the game's
            unit.
        widths: the number of moves to search if one ply is left, if two plies are left, and so on; the last
            number is also for more plies. The search continues with further moves if all of these lose. An
            empty tuple means all moves.
        wins_this_turn: returns whether the seat to move has a winning move; the search calls it after the
            last ply. None if a search that is one ply deeper is equally fast.
    """

    evaluate: Callable[[Any], int]
    widths: tuple[int, ...] = ()
    wins_this_turn: Callable[[Any], bool] | None = None

    def width(self, depth: int) -> int:
        """The number of moves to search if ``depth`` plies are left."""
        return self.widths[min(depth, len(self.widths)) - 1] if self.widths else _ALL


_ALL = 1_000_000
