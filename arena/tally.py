"""How often each outcome came up: all that points and strengths rest on.

A hundred thousand games between twenty engines have some thousand different outcomes, so what is worked out
from a tally takes as long for a hundred thousand games as for a thousand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from arena.model import Result
from referee.outcome import Termination

__all__ = ["Outcome", "Share", "Tally", "tally"]


class Share(NamedTuple):
    """How one seat fared.

    Attributes:
        name: the engine.
        rank: 1 = best, ties share.
        points: as in `PlayerRecord`.
        forfeit: why the referee removed it; None for a seat that it didn't.
    """

    name: str
    rank: int
    points: float
    forfeit: Termination | None

    @property
    def forfeited(self) -> bool:
        """Whether it lost by misbehaving; who resigns doesn't."""
        return self.forfeit is not None and self.forfeit.is_forfeit


Outcome: TypeAlias = tuple[Share, ...]
"""A game that counts, in seat order."""

Tally: TypeAlias = Counter[Outcome]
"""Outcomes of one game id and how many games ended so."""


def tally(results: Iterable[Result]) -> Tally:
    """Count the outcomes of those results that count."""
    return Counter(
        tuple(
            Share(player.name, player.rank, player.points, player.forfeit)
            for player in result.players
            if player.rank is not None
        )
        for result in results
        if result.counts
    )
