"""Ratings of engines: TrueSkill, Elo from a fit, and the Elo and sequential test of a match.

Only `arena.ratings.lists` uses the database. The other modules are pure.
"""

from statistics import NormalDist
from typing import Final

CONFIDENCE: Final = 0.95
"""The probability that an interval in a table contains the true value."""

DEVIATIONS: Final = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
"""Half the width of such an interval, in standard deviations of a normal distribution."""
