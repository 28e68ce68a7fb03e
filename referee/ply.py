"""One ply of a recorded game, as the referee, the database and the text formats use it."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from protocol.wire.codec import is_removal

__all__ = ["Ply", "count_moves"]


class Ply(msgspec.Struct, frozen=True, array_like=True):
    """A move of a game, or the removal of a seat, which takes no turn and no time.

    Between arena and the referee it is sent as a JSON array of these values, in this order.

    Attributes:
        seat: the seat that moved or was removed, 0-based.
        text: the move; ``!K`` for the removal of seat K (1-based).
        time: nanoseconds used on the clock.
        score: the score that the engine reported, for example ``cp 12`` or ``mate 3``; "" if none.
        depth: the depth that the engine reported; None if none.
    """

    seat: int
    text: str
    time: int
    score: str = ""
    depth: int | None = None

    @property
    def is_removal(self) -> bool:
        """Whether this ply is the removal of the seat."""
        return is_removal(self.text)


def count_moves(plies: Iterable[Ply]) -> int:
    """Return the number of moves in ``plies``, without the removals."""
    return sum(not ply.is_removal for ply in plies)
