"""The Elo difference of the two engines of a match, with an interval that holds for few games."""

from __future__ import annotations

import cmath
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import cosh, erfc, exp, log, pi, sinh, sqrt
from statistics import NormalDist

from arena.ratings import CONFIDENCE
from arena.ratings.sprt import (
    NORMALIZED,
    Counts,
    Sprt,
    elo_of_score,
    hypothetical_scores,
    mean_and_variance,
    score_of_elo,
    values,
)

LEAST_UNITS = 2
"""The least number of pairs (or games) from which anything is estimated."""

LEAST_WATCHED = 3
"""The same while somebody watches the match."""

FEW_UNITS = 10
"""Below this number of pairs (or games), the prior decides much of the interval."""

PRIOR_GAMES = 4.0
"""What the prior is worth, in games."""

ConfidenceCurve = Callable[[float], float]
"""Maps a score between 0 and 1 to the probability that the true score is at most this. It never falls."""

_NORMAL = NormalDist()

_TAIL = (1 - CONFIDENCE) / 2

_NARROWEST = 100  # the number of pairs (or games) after which the interval of a watched match is best
_MIXTURE = (2 * log(1 / (1 - CONFIDENCE)) + log(2 * log(1 / (1 - CONFIDENCE))) + 1) / _NARROWEST

_EDGE = 1e-9  # the distance to 0 and 1 of the lowest and the highest score that is looked at. It is 3600 Elo.

_EXACT, _NEAR = 1e-12, 1e-9
"""The precision of a score, and of a probability as a normal quantile."""

_SURE = 1e-9  # probabilities are kept this far from 0 and 1: they are not computed more exactly


@dataclass(frozen=True, slots=True)
class EloEstimate:
    """The Elo difference between two engines: above 0 if the first one is stronger."""

    elo: float | None  # None if an engine won all games
    low: float | None  # of the 95 % interval; None without a bound, and then `high` holds with 97.5 %
    high: float | None
    los: float  # the likelihood of superiority: that the first one is stronger; inside (0, 1)
    corrected: bool = False  # whether the numbers allow for a test that stopped the match
    watched: bool = False  # whether the interval allows for looks at any moment, to stop the match at one


def estimate(counts: Counts, *, watched: bool = False) -> EloEstimate | None:
    """Estimate the Elo difference of a match of a given length; None for too few units.

    The interval of a match that is ``watched`` holds at every moment, so that anybody may look and stop it.
    """
    units = sum(counts)
    if units < (LEAST_WATCHED if watched else LEAST_UNITS):
        return None
    tail = watched_tail(units) if watched else _TAIL

    def curve(score: float) -> float:
        return score_is_at_most(counts, score)

    mean, _ = mean_and_variance(counts)
    return EloEstimate(
        elo_of_score(mean) + 0.0 if 0 < mean < 1 else None,
        quantile(curve, tail) if mean > 0 else None,
        quantile(curve, 1 - tail) if mean < 1 else None,
        _superiority(curve),
        watched=watched,
    )


def watched_tail(units: int) -> float:
    """The probability beyond each bound after some pairs (or games), so that all intervals of a match hold.

    The bounds belong to a normal mixture (S. Howard and others, Time-uniform, nonparametric, nonasymptotic
    confidence sequences, 2021), which hold for scores of any distribution if there are enough of them (I.
    Waudby-Smith and others, Time-uniform central limit theory and asymptotic confidence sequences, 2024;
    `_MIXTURE` is their rho²). They are quantiles of the posterior, so that they also hold for few scores.
    """
    growth = 1 + units * _MIXTURE
    return _NORMAL.cdf(-sqrt(2 * growth / (growth - 1) * log(sqrt(growth) / (1 - CONFIDENCE))))


def normalized(elo: EloEstimate, counts: Counts) -> EloEstimate | None:
    """Convert an estimate to normalized Elo, with the spread of these pairs (or games); None without spread.

    The spread of a pair's score is the spread of a game divided by the square root of 2.
    """
    _, variance = mean_and_variance(counts)
    if not variance:
        return None
    deviation = sqrt((len(counts) - 1) / 2 * variance)

    def scaled(value: float | None) -> float | None:
        return None if value is None else (score_of_elo(value) - 0.5) / deviation * NORMALIZED

    return replace(elo, elo=scaled(elo.elo), low=scaled(elo.low), high=scaled(elo.high))


def _superiority(curve: ConfidenceCurve) -> float:
    """The likelihood of superiority: the probability of a score above 1/2."""
    return min(max(1 - curve(0.5), _SURE), 1 - _SURE)


def quantile(curve: ConfidenceCurve, probability: float) -> float | None:
    """Find the Elo at which a curve reaches a probability; None if it does not between -3600 and 3600 Elo.

    On the scale of normal quantiles the curve is almost straight, so a secant finds it in a few steps, kept
    between two bounds (M. Dowell, P. Jarratt, A modified regula falsi method, 1971: Illinois).
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
        missed = distance(score)
        if abs(missed) < _NEAR:
            return elo_of_score(score)
        if missed < 0:
            low, below = score, missed
            above = above / 2 if kept == 1 else above
            kept = 1
        else:
            high, above = score, missed
            below = below / 2 if kept == -1 else below
            kept = -1
    return elo_of_score((low + high) / 2)


# --- the posterior distribution of the expected score
#
# The probabilities of the kinds of pairs (or games) have a Dirichlet prior, which is worth four games.
# Games: 4/3 of a game for each of the three results. Pairs: 1/2 of a pair for each of the sums 1/2, 1 and
# 3/2, and 1/4 for the sums 0 and 2, for which one engine must win both games. The prior fits engines whose
# differences in strength have a standard deviation of about 100 Elo. The prior with the counts added is the
# posterior (for example A. Gelman et al., Bayesian Data Analysis, 2013, section 3.4). The expected score is
# the mean of the kinds' scores with these random probabilities. `benchmarks/match_intervals.py` compares
# the intervals of this posterior with others.
#
# A Dirichlet variable consists of independent gamma variables, divided by their sum. So the score is at
# most s if the sum of the gamma variables, each times (its score - s), is at most 0. With the distances d =
# score - s and the weights a of the kinds, the probability that the sum Q is above 0 is a contour integral
# of its moment generating function, over any path that crosses the real line between 0 and the least 1/d:
#
#     P(Q > 0) = 1/(2 pi i) * integral of exp(K(z)) / z dz,   K(z) = - sum of a * log(1 - d * z).
#
# The path starts at the saddle point, and nearly follows the steepest descent, so that the integrand does
# not oscillate (S. O. Rice, Distribution of quadratic forms in normal random variables: evaluation by
# numerical integration, SIAM Journal on Scientific and Statistical Computing 1, 1980).

_SHARES = {3: (1 / 3, 1 / 3, 1 / 3), 5: (1 / 8, 1 / 4, 1 / 4, 1 / 4, 1 / 8)}
"""How the prior is spread over the kinds, by their number."""

_STEP = 0.1
"""The distance of the nodes of the integral in t; the path is sinh(t) standard widths from its saddle."""

_SLOPE = 0.5  # the path leaves the saddle like a parabola, and never leans more than this from the vertical
_LAST_NODE = 1e-14  # the integral ends at a node whose ratio to the first node is smaller than this
_NODES_LIMIT = 500  # more nodes than any integral needs: about 40, and 200 if all pairs are alike
_Terms = list[tuple[float, float]]  # a weight and a distance for each kind


def with_prior(counts: Sequence[int]) -> list[float]:
    """Add the prior to the numbers of pairs or games."""
    worth = PRIOR_GAMES / ((len(counts) - 1) / 2)  # in pairs or games
    return [number + worth * share for number, share in zip(counts, _SHARES[len(counts)], strict=True)]


def score_is_at_most(counts: Counts, score: float) -> float:
    """The probability that the expected score is at most ``score``, which is inside (0, 1); to about 1e-9."""
    distances = [value - score for value in values(counts)]
    terms = [term for term in zip(with_prior(counts), distances, strict=True) if term[1]]
    if sum(weight * distance for weight, distance in terms) > 0:  # the smaller tail has the better path
        return _is_positive([(weight, -distance) for weight, distance in terms])
    return 1 - _is_positive(terms)


def _is_positive(terms: _Terms) -> float:
    """The probability that a sum of gamma variables times their distances is above 0."""
    saddle = _saddle(terms)
    second = sum(weight * (distance / (1 - distance * saddle)) ** 2 for weight, distance in terms)
    third = 2 * sum(weight * (distance / (1 - distance * saddle)) ** 3 for weight, distance in terms)
    second, third = second + saddle**-2, third - 2 * saddle**-3
    # Near the saddle, the path is z = saddle + bend y² + iy; far away, its slope is at most _SLOPE.
    width, bend = 1 / sqrt(second), third / (6 * second)
    total = first = 0.0
    for node in range(_NODES_LIMIT):
        height, growth = width * sinh(node * _STEP), width * cosh(node * _STEP)
        turn = 2 * bend * height / _SLOPE
        root = sqrt(1 + turn**2)
        lean = _SLOPE * turn / root
        z = complex(saddle + _SLOPE * height * turn / (1 + root), height)
        exponent = -sum(weight * cmath.log(1 - distance * z) for weight, distance in terms)
        value = cmath.exp(exponent - cmath.log(z)) * complex(lean, 1) * growth / 1j
        total += value.real if node else value.real / 2
        first = first or abs(value)
        if abs(value) < _LAST_NODE * first:
            break
    return min(max(total * _STEP / pi, 0.0), 1.0)


def _saddle(terms: _Terms) -> float:
    """Find the place between 0 and the least 1/distance where exp(K(z)) / z is smallest."""
    low, high = 0.0, 1 / max(distance for _, distance in terms)
    for _ in range(50):
        middle = (low + high) / 2
        if sum(weight * distance / (1 - distance * middle) for weight, distance in terms) > 1 / middle:
            high = middle
        else:
            low = middle
    return (low + high) / 2


# --- after a test has stopped the match
#
# A test that accepts `elo1` stops when the first engine has just been lucky, so the score then is too high
# on average; after `elo0` it is too low. The estimate is corrected for this, as in fishtest. The outcomes
# of a test have an order. The best one is an early acceptance of `elo1`; then come later acceptances of
# `elo1`, late acceptances of `elo0`, and at last early ones. For every true score, a curve gives the
# probability of the outcome of this match or a better one. The median-unbiased estimate is the score for
# which this probability is 1/2 (D. Siegmund, Estimation following sequential tests, Biometrika 65, 1978;
# Sequential Analysis, 1985, section III.7).
#
# The computation treats the LLR as a Brownian motion. Its drift and variance for one pair (or game) are
# approximated by M. Van den Bergh (https://www.cantate.be/Fishtest/GSPRT_approximation.pdf):
# with the scores s0 and s1 of the hypotheses, the true score s and the variance v of the score,
#
#     drift = (s - (s0 + s1) / 2) * (s1 - s0) / v,   variance = (s1 - s0)^2 / v.
#
# Fishtest takes v from the counts; here the prior is added to them, because a test of distant hypotheses
# can end after few pairs that are all alike. The approximation fails where the hypotheses are hundreds of
# Elo from each other or from the result; then there is no correction.

_LAST_TERM = 1e-13  # the series ends where all further terms are smaller

_NEAR_ENOUGH = 0.5
"""The correction is used if the LLR of the approximation reaches at least this share of the bound."""


def estimate_after_stop(sprt: Sprt, counts: Counts, accepted: str) -> EloEstimate | None:
    """Estimate the Elo difference of a match that a test has stopped, corrected where that is possible."""
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
    return EloEstimate(quantile(curve, 0.5), *bounds, _superiority(curve), corrected=True)


def probability_of_passage(below: float, above: float, drift: float, variance: float, time: float) -> float:
    """The probability that a Brownian motion from 0 reaches ``above`` before ``-below``, in a time.

    It is the sum over the images of ``above`` in the two barriers; each contributes the probability that a
    motion with this drift (in a time of 1, as the variance) passes a single barrier (the inverse Gaussian
    distribution), with the sign of its side (D. Siegmund, Sequential Analysis, 1985, section III.3).
    """
    deviation, slope = sqrt(variance * time), drift / variance
    total, number, negligible = 0.0, 0, False
    while not negligible:
        images = {above + 2 * shift * (below + above) for shift in (number, -number)}
        terms = [_passage(above, image, drift * time, deviation, slope) for image in sorted(images)]
        total += sum(terms)
        number, negligible = number + 1, all(abs(term) < _LAST_TERM for term in terms)
    return min(max(total, 0.0), 1.0)


def _passage(above: float, image: float, travel: float, deviation: float, slope: float) -> float:
    """The term of one image; ``travel`` and ``deviation`` belong to the motion without barriers."""
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
