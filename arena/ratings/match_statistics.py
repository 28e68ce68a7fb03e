"""Elo difference and sequential test of two engines, from pairs of games.

The two games of a pair share an opening, with exchanged seats. So their results depend on each other, and the
pair is the unit of all statistics. Counting the five sums 0, 1/2, 1, 3/2 and 2 (the pentanomial model) gives
correct errors. They are smaller than the errors that follow from single games.

The test is the generalized SPRT as in fishtest and fastchess. For each hypothesis, it takes the distribution
that fits the counts best among those with the expected score of the hypothesis (M. Van den Bergh, "Comments
on normalized Elo" and "A practical introduction to the GSPRT", https://www.cantate.be/Fishtest/; Proposition
1.1 of https://www.cantate.be/Fishtest/support_MLE_multinomial.pdf).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, log, log10, sqrt
from statistics import NormalDist

from arena.confidence import DEVIATIONS
from arena.config import Sprt

__all__ = ["VALUES", "EloEstimate", "PairCounts", "SprtStatus", "count_pairs", "estimate", "llr"]

PairCounts = tuple[int, int, int, int, int]
"""The numbers of pairs in which the first engine scored 0, 1/2, 1, 3/2 and 2 points."""

VALUES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The score of the first engine in each of the five kinds of pairs: its points divided by 2."""

_ZERO_COUNT = 1e-3
"""Replaces a count of 0, so that logarithms exist. The value is that of fishtest."""


@dataclass(frozen=True, slots=True)
class EloEstimate:
    """The Elo difference between two engines: above 0 if the first one is stronger.

    Attributes:
        elo: the difference; infinite if one engine won all games.
        low, high: the bounds of the 95 % interval.
        los: the likelihood of superiority: the probability that the first engine is stronger.
    """

    elo: float
    low: float
    high: float
    los: float


@dataclass(frozen=True, slots=True)
class SprtStatus:
    """The state of a sequential test.

    Attributes:
        llr: the log-likelihood ratio of elo1 to elo0.
        pairs: the number of pairs so far, or up to the decision.
        accepted: ``elo0`` or ``elo1``; None while the test is undecided.
    """

    llr: float
    pairs: int
    accepted: str | None


def count_pairs(pairs: Iterable[float | None]) -> PairCounts:
    """Count pairs by the points of the first engine. None stands for a pair that does not count."""
    counts = [0] * len(VALUES)
    for points in (points for points in pairs if points is not None):
        counts[round(2 * points)] += 1
    return (counts[0], counts[1], counts[2], counts[3], counts[4])


def estimate(counts: PairCounts) -> EloEstimate | None:
    """Elo, its 95 % interval and LOS, by the normal approximation; None for fewer than two pairs."""
    pairs = sum(counts)
    if pairs < 2:
        return None
    shares = [number / pairs for number in counts]
    mean = sum(share * value for share, value in zip(shares, VALUES, strict=True))
    variance = sum(share * (value - mean) ** 2 for share, value in zip(shares, VALUES, strict=True))
    error = sqrt(variance / pairs)
    margin = DEVIATIONS * error
    los = NormalDist().cdf((mean - 0.5) / error) if error else (mean > 0.5) + (mean == 0.5) / 2
    return EloEstimate(_elo(mean), _elo(mean - margin), _elo(mean + margin), los)


def llr(sprt: Sprt, counts: Sequence[int]) -> float:
    """The log-likelihood ratio of elo1 to elo0 for these numbers of pairs."""
    weights = [number or _ZERO_COUNT for number in counts]
    tilts = [_tilt(weights, _score(elo)) for elo in (sprt.elo0, sprt.elo1)]
    scores = [_score(elo) for elo in (sprt.elo0, sprt.elo1)]
    return sum(
        weight * log((1 + tilts[0] * (value - scores[0])) / (1 + tilts[1] * (value - scores[1])))
        for weight, value in zip(weights, VALUES, strict=True)
    )


def _tilt(weights: Sequence[float], score: float) -> float:
    """Find the x for which the sum of weight·d / (1 + x·d) is 0, where d is a value minus ``score``.

    Among the distributions with the expectation ``score``, the one that fits the weights best gives each
    value a probability proportional to weight / (1 + x·d). The sum decreases over the open interval of
    possible x, so it has one zero. Newton's method finds it; bisection replaces a step that leaves the
    interval.
    """
    weighted = [(weight, value - score) for weight, value in zip(weights, VALUES, strict=True)]
    low, high = -1 / weighted[-1][1], -1 / weighted[0][1]
    x = 0.0
    for _ in range(100):
        value = slope = 0.0
        for weight, distance in weighted:
            term = distance / (1 + x * distance)
            value += weight * term
            slope -= weight * term * term
        if value > 0:
            low = x
        else:
            high = x
        step = x - value / slope
        next_x = step if low < step < high else (low + high) / 2
        if abs(next_x - x) <= 1e-12 * max(1.0, abs(x)):
            return next_x
        x = next_x
    return x


def _score(elo: float) -> float:
    return 1 / (1 + 10 ** (-elo / 400))


def _elo(score: float) -> float:
    if score <= 0:
        return -inf
    if score >= 1:
        return inf
    return -400 * log10(1 / score - 1)
