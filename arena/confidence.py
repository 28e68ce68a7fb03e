"""How sure the intervals in tables are: one level for all of them."""

from __future__ import annotations

from statistics import NormalDist
from typing import Final

__all__ = ["CONFIDENCE", "DEVIATIONS"]

CONFIDENCE: Final = 0.95
"""The probability that the truth lies in an interval."""

DEVIATIONS: Final = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
"""How many standard deviations such an interval reaches to either side."""
