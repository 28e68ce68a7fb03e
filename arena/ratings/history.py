"""The history of ratings: TrueSkill over all games, with a sample after every few games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.ended_games import GameScore
from arena.ratings import Rating
from arena.ratings.settings import RatingSettings
from arena.ratings.trueskill import rate

__all__ = ["RatingSample", "history"]

MAX_SAMPLES = 200
"""The largest number of samples."""


@dataclass(frozen=True, slots=True)
class RatingSample:
    """The ratings after some of the games.

    Attributes:
        games: the number of games so far.
        ratings: the engines that have played, by name.
    """

    games: int
    ratings: dict[str, Rating]


def history(games: Sequence[GameScore], model: RatingSettings) -> list[RatingSample]:
    """The ratings after every few games. The last sample is after the last game.

    Args:
        games: the games of one id that count, in schedule order.
        model: the settings of its rating list.
    """
    step = max(-(-len(games) // MAX_SAMPLES), 1)
    samples = []
    ratings: dict[str, Rating] = {}
    for first in range(0, len(games), step):
        batch = games[first : first + step]
        ratings = rate(batch, model, ratings)
        samples.append(RatingSample(first + len(batch), ratings))
    return samples
