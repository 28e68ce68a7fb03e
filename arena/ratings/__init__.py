"""Ratings: how strong engines are, with what certainty. Pure functions of results.

>>> rate([], settings_for("quoridor"))
{}
"""

from arena.ratings.settings import DRAW_PRIOR_LIMITS, RatingSettings, settings_for
from arena.ratings.trueskill import Rating, is_rated, rate

__all__ = ["DRAW_PRIOR_LIMITS", "Rating", "RatingSettings", "is_rated", "rate", "settings_for"]
