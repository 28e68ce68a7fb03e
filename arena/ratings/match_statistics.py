"""How two engines compare, from pairs of games on one opening with seats exchanged.

The unit is the pair: its two games share an opening, so their results depend on each other, and counting the
five sums 0, 1/2, 1, 3/2 and 2 instead of single games gives honest and narrower errors. The test is the
generalized SPRT as fishtest and fastchess run it: the likelihoods are those of the distributions with the
expectations of either hypothesis that fit the counts best (M. Van den Bergh, "Comments on normalized Elo" and
"A practical introduction to the GSPRT", https://www.cantate.be/Fishtest/; Proposition 1.1 of
https://www.cantate.be/Fishtest/support_MLE_multinomial.pdf).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, log, log10, sqrt
from statistics import NormalDist

from arena.config.outline import Sprt
from arena.schedule.seating import Entrants, duel
from arena.scoring import Ended
from referee.outcome import Termination

__all__ = ["Counts", "Estimate", "SequentialTest", "Verdict", "count_pairs", "estimate", "llr", "pair_points"]

Counts = tuple[int, int, int, int, int]
"""How many pairs brought the first engine 0, 1/2, 1, 3/2 and 2 points."""

_VALUES = (0.0, 0.25, 0.5, 0.75, 1.0)
_LEAST = 1e-3
"""Counted for a sum that never came up, so that logarithms exist; fishtest's value."""

_CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
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
class Verdict:
    """Where a test stands.

    Attributes:
        llr: the log-likelihood ratio of elo1 to elo0.
        pairs: after how many pairs; where it was decided, those up to there.
        accepted: ``elo0`` or ``elo1``; None as long as it is open.
    """

    llr: float
    pairs: int
    accepted: str | None


class SequentialTest:
    """A test over pairs in the order of the schedule; it ends for good with the pair that decides it.

    So the verdict does not depend on which of several games at once came to its end first, and what was
    still running when it fell does not change it.
    """

    def __init__(self, sprt: Sprt, entrants: Entrants) -> None:
        self._sprt = sprt
        self._entrants = entrants
        self._counts = [0] * len(_VALUES)
        self._read = 0
        self._verdict = Verdict(0.0, 0, None)

    def read(self, results: Mapping[str, Ended]) -> Verdict:
        """Where it stands with these results; what was read before need not be read again."""
        low, high = self._sprt.bounds
        for points in pair_points(self._entrants, results, self._read):
            if self._verdict.accepted is not None:
                break
            self._read += 1
            if points is not None:
                self._counts[round(2 * points)] += 1
                ratio = llr(self._sprt, self._counts)
                accepted = "elo1" if ratio >= high else "elo0" if ratio <= low else None
                self._verdict = Verdict(ratio, sum(self._counts), accepted)
        return self._verdict


def count_pairs(pairs: Iterable[float | None]) -> Counts:
    """Count the first engine's points in each of some pairs."""
    counts = [0] * len(_VALUES)
    for points in (points for points in pairs if points is not None):
        counts[round(2 * points)] += 1
    return (counts[0], counts[1], counts[2], counts[3], counts[4])


def pair_points(entrants: Entrants, results: Mapping[str, Ended], begin: int = 0) -> Iterator[float | None]:
    """The first engine's points in each pair from number ``begin``, up to the first that is not complete.

    None is for a pair of which a game was decided without being played: that says nothing about strength.
    """
    for pair in itertools.count(begin):
        points: float | None = 0.0
        for index in (2 * pair, 2 * pair + 1):
            seating = duel(0, 1, index)
            result = results.get(entrants.key(seating))
            if result is None:
                return
            if points is None or result.termination is Termination.DISABLED:
                points = None
            else:
                points += result.players[seating.seats.index(0)].points
        yield points


def estimate(counts: Counts) -> Estimate | None:
    """Elo, its error and LOS by the normal approximation; None before two pairs."""
    pairs = sum(counts)
    if pairs < 2:
        return None
    shares = [number / pairs for number in counts]
    mean = sum(share * value for share, value in zip(shares, _VALUES, strict=True))
    variance = sum(share * (value - mean) ** 2 for share, value in zip(shares, _VALUES, strict=True))
    error = sqrt(variance / pairs)
    margin = NormalDist().inv_cdf((1 + _CONFIDENCE) / 2) * error
    los = NormalDist().cdf((mean - 0.5) / error) if error else (mean > 0.5) + (mean == 0.5) / 2
    return Estimate(_elo(mean), _elo(mean - margin), _elo(mean + margin), los)


def llr(sprt: Sprt, counts: Sequence[int]) -> float:
    """The log-likelihood ratio of elo1 to elo0 after so many pairs of either kind."""
    weights = [number or _LEAST for number in counts]
    tilts = [_tilt(weights, _score(elo)) for elo in (sprt.elo0, sprt.elo1)]
    scores = [_score(elo) for elo in (sprt.elo0, sprt.elo1)]
    return sum(
        weight * log((1 + tilts[0] * (value - scores[0])) / (1 + tilts[1] * (value - scores[1])))
        for weight, value in zip(weights, _VALUES, strict=True)
    )


def _tilt(weights: Sequence[float], score: float) -> float:
    """The x at which the sum of weight·d / (1 + x·d) is 0, where d is the distance of a value from ``score``.

    The distribution with the expectation ``score`` that fits the weights best gives a value the probability
    weight / (1 + x·d), up to a factor. The sum falls from one end of the open interval to the other.
    """
    weighted = [(weight, value - score) for weight, value in zip(weights, _VALUES, strict=True)]
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
