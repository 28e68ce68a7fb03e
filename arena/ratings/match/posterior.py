"""What the counts of a match say about the expected score: a posterior distribution that holds for few games.

The probabilities of the kinds of pairs (or games) have a Dirichlet prior, which is worth four games. Games:
4/3 of a game for each of the three results. Pairs: 1/2 of a pair for each of the sums 1/2, 1 and 3/2, and 1/4
for the sums 0 and 2, for which one engine must win both games. The prior fits engines whose differences in
strength have a standard deviation of about 100 Elo. The prior with the counts added is the posterior (for
example A. Gelman et al., Bayesian Data Analysis, 2013, section 3.4). The expected score is the mean of the
kinds' scores with these random probabilities. `benchmarks/match_intervals.py` compares the intervals of this
posterior with others.

A Dirichlet distribution is that of independent gamma variables, divided by their sum. So the score is at
most s if the sum of the gamma variables, each times (its score - s), is at most 0. With the distances
d = score - s and the weights a of the kinds, the probability that the sum Q is above 0 is a contour integral
of its moment generating function, over any path that crosses the real line between 0 and the least 1/d:

    P(Q > 0) = 1/(2 pi i) * integral of exp(K(z)) / z dz,   K(z) = - sum of a * log(1 - d * z).

The path begins at the saddle point, and nearly follows the steepest descent, so that the integrand does not
oscillate (S. O. Rice, Distribution of quadratic forms in normal random variables: evaluation by numerical
integration, SIAM Journal on Scientific and Statistical Computing 1, 1980).
"""

from __future__ import annotations

from cmath import exp, log
from collections.abc import Sequence
from math import cosh, pi, sinh, sqrt

from arena.ratings.match.sequential_test import Counts, values

__all__ = ["PRIOR_GAMES", "score_is_at_most", "with_prior"]

PRIOR_GAMES = 4.0
"""What the prior is worth, in games."""

_SHARES = {3: (1 / 3, 1 / 3, 1 / 3), 5: (1 / 8, 1 / 4, 1 / 4, 1 / 4, 1 / 8)}
"""How the prior is spread over the kinds, by their number."""

_STEP = 0.1
"""The distance of the nodes of the integral in t; the path is sinh(t) standard widths from its saddle."""

_SLOPE = 0.5
"""The path leaves the saddle like a parabola, and never leans more than this from the vertical."""

_NEGLIGIBLE = 1e-14
"""The integral ends at a node whose ratio to the first node is smaller than this."""

_MOST_NODES = 500
"""More nodes than any integral needs: about 40, and 200 if all pairs are alike."""

Terms = list[tuple[float, float]]
"""A weight and a distance for each kind."""


def with_prior(counts: Sequence[int]) -> list[float]:
    """Add the prior to the numbers of pairs or games."""
    worth = PRIOR_GAMES / ((len(counts) - 1) / 2)  # in pairs or games
    return [number + worth * share for number, share in zip(counts, _SHARES[len(counts)], strict=True)]


def score_is_at_most(counts: Counts, score: float) -> float:
    """The probability that the expected score is at most ``score``, to about 1e-9.

    Args:
        counts: the numbers of pairs or games.
        score: a number between 0 and 1, both excluded.
    """
    distances = [value - score for value in values(counts)]
    terms = [term for term in zip(with_prior(counts), distances, strict=True) if term[1]]
    if sum(weight * distance for weight, distance in terms) > 0:  # the smaller tail has the better path
        return _is_positive([(weight, -distance) for weight, distance in terms])
    return 1 - _is_positive(terms)


def _is_positive(terms: Terms) -> float:
    """The probability that a sum of gamma variables times their distances is above 0."""
    saddle = _saddle(terms)
    second = sum(weight * (distance / (1 - distance * saddle)) ** 2 for weight, distance in terms)
    third = 2 * sum(weight * (distance / (1 - distance * saddle)) ** 3 for weight, distance in terms)
    second, third = second + saddle**-2, third - 2 * saddle**-3
    # Near the saddle, the path is z = saddle + bend y² + iy; far away, its slope is at most _SLOPE.
    width, bend = 1 / sqrt(second), third / (6 * second)
    total = first = 0.0
    for node in range(_MOST_NODES):
        height, growth = width * sinh(node * _STEP), width * cosh(node * _STEP)
        turn = 2 * bend * height / _SLOPE
        root = sqrt(1 + turn**2)
        lean = _SLOPE * turn / root
        z = complex(saddle + _SLOPE * height * turn / (1 + root), height)
        exponent = -sum(weight * log(1 - distance * z) for weight, distance in terms)
        value = exp(exponent - log(z)) * complex(lean, 1) * growth / 1j
        total += value.real if node else value.real / 2
        first = first or abs(value)
        if abs(value) < _NEGLIGIBLE * first:
            break
    return min(max(total * _STEP / pi, 0.0), 1.0)


def _saddle(terms: Terms) -> float:
    """Find the place between 0 and the least 1/distance where exp(K(z)) / z is smallest."""
    low, high = 0.0, 1 / max(distance for _, distance in terms)
    for _ in range(50):
        middle = (low + high) / 2
        if sum(weight * distance / (1 - distance * middle) for weight, distance in terms) > 1 / middle:
            high = middle
        else:
            low = middle
    return (low + high) / 2
