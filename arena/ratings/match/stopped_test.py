"""The Elo difference after a sequential test has stopped a match.

A test that accepts `elo1` stops when the first engine has just been lucky, so the score then is too high on
average; after `elo0` it is too low. The estimate here is corrected for this, as in fishtest. The outcomes of
a test have an order. The best one is an early acceptance of `elo1`; then come later acceptances of `elo1`,
late acceptances of `elo0`, and at last early ones. For every true score, a curve gives the probability of the
outcome of this match or a better one. The median-unbiased estimate is the score for which this probability is
1/2 (D. Siegmund, Estimation following sequential tests, Biometrika 65, 1978; Sequential Analysis, 1985,
section III.7).

The computation treats the LLR as a Brownian motion. Its drift and variance for one pair (or game) are those
of the approximation of M. Van den Bergh (https://www.cantate.be/Fishtest/GSPRT_approximation.pdf): with the
scores s0 and s1 of the hypotheses, the true score s and the variance v of the score,

    drift = (s - (s0 + s1) / 2) * (s1 - s0) / v,   variance = (s1 - s0)^2 / v.

Fishtest takes v from the counts; here the prior of `arena.ratings.match.posterior` is added to them, because
a test of distant hypotheses can end after few pairs that are all alike. The approximation fails where the
hypotheses are hundreds of Elo from each other or from the result; then there is no correction.
"""

from __future__ import annotations

from math import erfc, exp, log, pi, sqrt

from arena.confidence import CONFIDENCE
from arena.config import Sprt
from arena.ratings.match.estimate import EloEstimate, estimate, likelihood, quantile
from arena.ratings.match.posterior import with_prior
from arena.ratings.match.sequential_test import Counts, hypothetical_scores, mean_and_variance

__all__ = ["estimate_after_stop", "probability_of_passage"]

_TAIL = (1 - CONFIDENCE) / 2

_NEGLIGIBLE = 1e-13
"""The series ends where all further terms are smaller."""


_NEAR_ENOUGH = 0.5
"""The correction is used if the LLR of the approximation reaches at least this share of the bound."""


def estimate_after_stop(sprt: Sprt, counts: Counts, accepted: str) -> EloEstimate | None:
    """Estimate the Elo difference of a match that a test has stopped.

    Args:
        sprt: the test.
        counts: the numbers of pairs or games up to the decision.
        accepted: the decision, ``elo0`` or ``elo1``.

    Returns:
        The estimate, corrected for the stop unless the approximation fails; None if there is none.
    """
    mean, _ = mean_and_variance(counts)
    _, variance = mean_and_variance(with_prior(counts))
    score0, score1 = hypothetical_scores(sprt, variance)
    low, high = sprt.bounds
    step, middle = (score1 - score0) / variance, (score0 + score1) / 2
    reached = sum(counts) * (mean - middle) * step / (high if accepted == "elo1" else low)
    if reached < _NEAR_ENOUGH:
        return estimate(counts)
    # The last pair takes the LLR beyond its bound. The motion reaches the bound a little earlier.
    time = sum(counts) / max(reached, 1.0)

    def curve(score: float) -> float:
        drift = (score - middle) * step
        if accepted == "elo1":
            return probability_of_passage(-low, high, drift, step * step * variance, time)
        return 1 - probability_of_passage(high, -low, -drift, step * step * variance, time)

    bounds = quantile(curve, _TAIL), quantile(curve, 1 - _TAIL)
    if bounds == (None, None):
        return estimate(counts)
    return EloEstimate(quantile(curve, 0.5), *bounds, likelihood(curve), corrected=True)


def probability_of_passage(below: float, above: float, drift: float, variance: float, time: float) -> float:
    """The probability that a Brownian motion that begins at 0 reaches ``above`` before ``-below``, in a time.

    It is the sum over the images of ``above`` in the two barriers; each of them contributes the probability
    that a motion with this drift passes a single barrier (the inverse Gaussian distribution), with the sign
    of its side (D. Siegmund, Sequential Analysis, 1985, section III.3).

    Args:
        below: the distance of the lower barrier, more than 0.
        above: the distance of the upper barrier, more than 0.
        drift: the mean of the motion in a time of 1.
        variance: its variance in a time of 1.
        time: more than 0.
    """
    deviation, slope = sqrt(variance * time), drift / variance
    total, number, negligible = 0.0, 0, False
    while not negligible:
        images = {above + 2 * shift * (below + above) for shift in (number, -number)}
        terms = [_passage(above, image, drift * time, deviation, slope) for image in sorted(images)]
        total += sum(terms)
        number, negligible = number + 1, all(abs(term) < _NEGLIGIBLE for term in terms)
    return min(max(total, 0.0), 1.0)


def _passage(above: float, image: float, travel: float, deviation: float, slope: float) -> float:
    """The term of one image; ``travel`` and ``deviation`` are those of the motion without barriers."""
    distance = abs(image)
    term = exp(slope * (above - distance) + _log_normal((travel - distance) / deviation))
    term += exp(slope * (above + distance) + _log_normal((-travel - distance) / deviation))
    return term if image > 0 else -term


def _log_normal(deviations: float) -> float:
    """The logarithm of the normal distribution function, also far below 0."""
    if deviations > -30:
        return log(erfc(-deviations / sqrt(2)) / 2)
    tail = 1 - 1 / deviations**2 + 3 / deviations**4  # the asymptotic series of Mills' ratio
    return -(deviations**2) / 2 - log(-deviations * sqrt(2 * pi)) + log(tail)
