"""How two engines compare, from pairs of games on one opening with seats exchanged.

The unit is the pair: its two games share an opening, so their results depend on each other, and counting the
five sums 0, 1/2, 1, 3/2 and 2 instead of single games gives honest and narrower errors. The test is the
generalized SPRT as fishtest and fastchess run it: the likelihoods are those of the distributions with the
expectations of either hypothesis that fit the counts best (M. Van den Bergh, "Comments on normalized Elo" and
"A practical introduction to the GSPRT", https://www.cantate.be/Fishtest/; Proposition 1.1 of
https://www.cantate.be/Fishtest/support_MLE_multinomial.pdf).
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
"""How many pairs brought the first engine 0, 1/2, 1, 3/2 and 2 points."""

VALUES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The score of the first engine in each of the five kinds of pairs: its points divided by 2."""

_LEAST = 1e-3
"""Counted for a sum that never came up, so that logarithms exist; fishtest's value."""


@dataclass(frozen=True, slots=True)
class EloEstimate:
    """How much stronger the first engine is.

    Attributes:
        elo: the difference; infinite when one of them won everything.
        low, high: where it lies with a confidence of 95 %.
        los: the likelihood of superiority: how probable it is that the first engine is the stronger one.
    """

    elo: float
    low: float
    high: float
    los: float


@dataclass(frozen=True, slots=True)
class SprtStatus:
    """Where a test stands.

    Attributes:
        llr: the log-likelihood ratio of elo1 to elo0.
        pairs: after how many pairs; where it was decided, those up to there.
        accepted: ``elo0`` or ``elo1``; None as long as it is open.
    """

    llr: float
    pairs: int
    accepted: str | None


def count_pairs(pairs: Iterable[float | None]) -> PairCounts:
    """Count the first engine's points in each of some pairs."""
    counts = [0] * len(VALUES)
    for points in (points for points in pairs if points is not None):
        counts[round(2 * points)] += 1
    return (counts[0], counts[1], counts[2], counts[3], counts[4])


def estimate(counts: PairCounts) -> EloEstimate | None:
    """Elo, its error and LOS by the normal approximation; None before two pairs."""
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
    """The log-likelihood ratio of elo1 to elo0 after so many pairs of each kind."""
    weights = [number or _LEAST for number in counts]
    tilts = [_tilt(weights, _score(elo)) for elo in (sprt.elo0, sprt.elo1)]
    scores = [_score(elo) for elo in (sprt.elo0, sprt.elo1)]
    return sum(
        weight * log((1 + tilts[0] * (value - scores[0])) / (1 + tilts[1] * (value - scores[1])))
        for weight, value in zip(weights, VALUES, strict=True)
    )


def _tilt(weights: Sequence[float], score: float) -> float:
    """The x at which the sum of weight·d / (1 + x·d) is 0, where d is the distance of a value from ``score``.

    The distribution with the expectation ``score`` that fits the weights best gives a value the probability
    weight / (1 + x·d), up to a factor. The sum falls from one end of the open interval to the other.
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
        after = step if low < step < high else (low + high) / 2
        if abs(after - x) <= 1e-12 * max(1.0, abs(x)):
            return after
        x = after
    return x


def _score(elo: float) -> float:
    return 1 / (1 + 10 ** (-elo / 400))


def _elo(score: float) -> float:
    if score <= 0:
        return -inf
    if score >= 1:
        return inf
    return -400 * log10(1 / score - 1)
