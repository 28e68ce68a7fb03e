"""Adjudication: draws by repetition and by length, which no rule sheet knows and every tournament may set.

`Adjudication` holds the settings; a `RepetitionTracker` sees one game's positions go by. It only counts: what
a full count means for the game is the arbiter's to say, by the words `REPETITION` and `LENGTH`.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Self

from referee.game import GameInfo

__all__ = ["LENGTH", "REPETITION", "Adjudication", "RepetitionTracker"]

REPETITION = "repetition"
"""The outcome's reason when a position has come up too often."""

LENGTH = "length"
"""The outcome's reason when the ply limit is reached."""


@dataclass(frozen=True, slots=True)
class Adjudication:
    """When a game is called a draw although its rules would go on.

    Attributes:
        repetition: how often the same position, with the same seat to move, may come up until the game is
            drawn, counting the first time; None for never.
        plies: after how many plies, the opening's included, it is drawn; None for never.

    Raises:
        ValueError: a repetition below 2 or a ply limit below 1.
    """

    repetition: int | None = 3
    plies: int | None = None

    def __post_init__(self) -> None:
        if self.repetition is not None:
            _check_repetition(self.repetition)
        if self.plies is not None and self.plies < 1:
            raise ValueError(f"the ply limit must be at least 1, or off; not {self.plies}")

    @classmethod
    def for_game(cls, info: GameInfo) -> Self:
        """What holds unless a tournament says otherwise: the third time, the game's own ply limit."""
        return cls(plies=info.ply_limit)


class RepetitionTracker:
    """Counts how often each position has come up.

    Feed it every position of the game, the first one too. It keeps one entry for each different key, so never
    more than there were updates.

    Raises:
        ValueError: a limit below 2.
    """

    __slots__ = ("_counts", "_limit")

    def __init__(self, limit: int) -> None:
        _check_repetition(limit)
        self._limit = limit
        self._counts: dict[Hashable, int] = {}

    def update(self, key: Hashable) -> bool:
        """Count the position with this `Position.key`; True when it has now come up ``limit`` times."""
        count = self._counts.get(key, 0) + 1
        self._counts[key] = count
        return count >= self._limit

    def reset(self) -> None:
        """Forget all positions: for those that cannot come again, as when a seat was removed since."""
        self._counts.clear()


def _check_repetition(limit: int) -> None:
    if limit < 2:
        raise ValueError(f"repetition must be at least 2, or off; not {limit}")
