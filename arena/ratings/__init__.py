"""Ratings: how strong engines are, with what certainty. All but `arena.ratings.lists` is pure.

>>> rate([], settings_for("quoridor"))
{}
"""

from arena.ratings.settings import DRAW_PRIOR_LIMITS, RatingSettings, settings_for
from arena.ratings.trueskill import Model, Rating, rate

__all__ = ["DRAW_PRIOR_LIMITS", "Model", "Rating", "RatingSettings", "rate", "settings_for"]
