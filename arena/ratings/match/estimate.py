"""The Elo difference of the two engines of a match, with an interval that holds for few games."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

from arena.confidence import CONFIDENCE
from arena.ratings.match.posterior import score_is_at_most
from arena.ratings.match.sequential_test import Counts, elo_of_score, mean_and_variance

__all__ = ["FEW_UNITS", "LEAST_UNITS", "ConfidenceCurve", "EloEstimate", "estimate", "likelihood", "quantile"]

LEAST_UNITS = 2
"""The least number of pairs (or games) from which anything is estimated."""

FEW_UNITS = 10
"""Below this number of pairs (or games), the prior decides much of the interval."""

ConfidenceCurve = Callable[[float], float]
"""Maps a score between 0 and 1 to the probability that the true score is at most this. It never falls."""

_NORMAL = NormalDist()

_TAIL = (1 - CONFIDENCE) / 2

_EDGE = 1e-9
"""The distance to 0 and 1 of the lowest and the highest score that is looked at. It is 3600 Elo."""

_EXACT, _NEAR = 1e-12, 1e-9
"""The precision of a score, and of a probability as a normal quantile."""

_SURE = 1e-9
"""Probabilities are kept this far from 0 and 1: they are not computed more exactly."""


@dataclass(frozen=True, slots=True)
class EloEstimate:
    """The Elo difference between two engines: above 0 if the first one is stronger.

    Attributes:
        elo: the difference; None if there is none, because an engine won all games.
        low, high: the bounds of the 95 % interval; None on a side without a bound, and then the other bound
            holds with 97.5 %.
        los: the likelihood of superiority: the probability that the first engine is stronger, more than 0 and
            less than 1.
        corrected: whether the numbers allow for a test that stopped the match because of its results.
    """

    elo: float | None
    low: float | None
    high: float | None
    los: float
    corrected: bool = False


def estimate(counts: Counts) -> EloEstimate | None:
    """Estimate the Elo difference of a match of a given length.

    The Elo difference is the one that corresponds to the score. The interval and LOS are those of the
    posterior distribution of the expected score (`arena.ratings.match.posterior`).

    Args:
        counts: the numbers of pairs or games.

    Returns:
        The estimate; None for fewer than `LEAST_UNITS` pairs or games.
    """
    if sum(counts) < LEAST_UNITS:
        return None

    def curve(score: float) -> float:
        return score_is_at_most(counts, score)

    mean, _ = mean_and_variance(counts)
    return EloEstimate(
        elo_of_score(mean) + 0.0 if 0 < mean < 1 else None,
        quantile(curve, _TAIL) if mean > 0 else None,
        quantile(curve, 1 - _TAIL) if mean < 1 else None,
        likelihood(curve),
    )


def likelihood(curve: ConfidenceCurve) -> float:
    """The likelihood of superiority: the probability of a score above 1/2."""
    return min(max(1 - curve(0.5), _SURE), 1 - _SURE)


def quantile(curve: ConfidenceCurve, probability: float) -> float | None:
    """Find the Elo at which a confidence curve reaches a probability.

    On the scale of normal quantiles the curve is almost a straight line, so a secant finds the score in a few
    steps. The Illinois method (M. Dowell, P. Jarratt, A modified regula falsi method, 1971) keeps it between
    two bounds.

    Returns:
        The Elo; None if the curve does not reach the probability between -3600 and 3600 Elo.
    """
    aim = _NORMAL.inv_cdf(probability)

    def distance(score: float) -> float:
        return _NORMAL.inv_cdf(min(max(curve(score), _SURE), 1 - _SURE)) - aim

    low, high = _EDGE, 1 - _EDGE
    below, above = distance(low), distance(high)
    if below > 0 or above < 0:
        return None
    kept = 0  # the bound that the last step kept: 1 for the high one, -1 for the low one
    while high - low > _EXACT:
        score = (low * above - high * below) / (above - below)
        found = distance(score)
        if abs(found) < _NEAR:
            return elo_of_score(score)
        if found < 0:
            low, below = score, found
            above = above / 2 if kept == 1 else above
            kept = 1
        else:
            high, above = score, found
            below = below / 2 if kept == -1 else below
            kept = -1
    return elo_of_score((low + high) / 2)
