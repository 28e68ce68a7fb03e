"""How ratings went, game by game: TrueSkill fed again, with a look at it every so often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.ratings import Rating
from arena.ratings.settings import RatingSettings
from arena.ratings.trueskill import rate
from arena.scoring import GameScore

__all__ = ["RatingSample", "history"]

MOST = 200
"""Looks at the most."""


@dataclass(frozen=True, slots=True)
class RatingSample:
    """The ratings of everybody who had played, after so many games."""

    games: int
    ratings: dict[str, Rating]


def history(games: Sequence[GameScore], model: RatingSettings) -> list[RatingSample]:
    """The ratings after some of the games, the last included.

    Args:
        games: of one id, those that count, in schedule order.
        model: the settings of its list.
    """
    step = max(-(-len(games) // MOST), 1)
    samples = []
    known: dict[str, Rating] = {}
    for first in range(0, len(games), step):
        part = games[first : first + step]
        known = rate(part, model, known)
        samples.append(RatingSample(first + len(part), known))
    return samples
