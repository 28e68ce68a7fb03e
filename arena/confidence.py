"""The confidence level of all intervals in tables."""

from __future__ import annotations

from statistics import NormalDist
from typing import Final

__all__ = ["CONFIDENCE", "DEVIATIONS"]

CONFIDENCE: Final = 0.95
"""The probability that an interval contains the true value."""

DEVIATIONS: Final = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
"""Half the width of such an interval, in standard deviations of a normal distribution."""
