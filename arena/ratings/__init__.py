"""Ratings of engines: TrueSkill, Elo from a fit, and match statistics.

Only `arena.ratings.lists` uses the database. The other modules are pure.

>>> rate([], settings_for("quoridor"))
{}
"""

from arena.ratings.settings import DRAW_PRIOR_LIMITS, RatingSettings, settings_for
from arena.ratings.trueskill import Model, Rating, rate

__all__ = ["DRAW_PRIOR_LIMITS", "Model", "Rating", "RatingSettings", "rate", "settings_for"]
