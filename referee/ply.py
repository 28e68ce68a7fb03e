"""A ply as it is recorded: from the referee's result to the database and the text formats."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from protocol.wire.codec import is_removal

__all__ = ["Ply", "count_moves"]


class Ply(msgspec.Struct, frozen=True, array_like=True):
    """A move of a game, or the removal of a seat, which is no turn and takes no time.

    On the wire between arena and the referee it is an array of these values, in this order.

    Attributes:
        seat: who moved or was removed, 0-based.
        text: the move; ``!K`` for the removal of seat K (1-based).
        time: nanoseconds on the clock.
        score: as the engine reported it, ``cp 12`` or ``mate 3``; "" for none.
        depth: as the engine reported it; None for none.
    """

    seat: int
    text: str
    time: int
    score: str = ""
    depth: int | None = None

    @property
    def is_removal(self) -> bool:
        """Whether the referee removed the seat here."""
        return is_removal(self.text)


def count_moves(plies: Iterable[Ply]) -> int:
    """The number of moves among ``plies``: all but the removals."""
    return sum(not ply.is_removal for ply in plies)
