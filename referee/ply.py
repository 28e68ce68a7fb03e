"""One ply of a recorded game, as the referee, the database and the text formats use it."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from protocol.wire.codec import is_removal


class Ply(msgspec.Struct, frozen=True, array_like=True):
    """A move of a game, or the removal of a seat, which takes no turn and no time.

    Between arena and the referee it is sent as a JSON array of these values, in this order.
    """

    seat: int  # that moved or was removed, 0-based
    text: str  # the move; `!K` for the removal of seat K (1-based)
    time: int  # nanoseconds used on the clock
    score: str = ""  # that the engine reported, for example `cp 12` or `mate 3`
    depth: int | None = None  # that the engine reported

    @property
    def is_removal(self) -> bool:
        """Whether this ply is the removal of the seat."""
        return is_removal(self.text)


def count_moves(plies: Iterable[Ply]) -> int:
    """Return the number of moves in ``plies``, without the removals."""
    return sum(not ply.is_removal for ply in plies)
