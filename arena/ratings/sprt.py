"""Counts of the results of two engines, and the sequential test on them.

The two games of a pair share an opening, so their results depend on each other, and the pair is the unit of
all statistics: five sums from 0 to 2 (the pentanomial model). The test is the generalized SPRT as in fishtest
and fastchess. For each hypothesis, it takes the distribution that fits the counts best among those for which
the hypothesis is true (M. Van den Bergh, "A practical introduction to the GSPRT" and "Comments on normalized
Elo", https://www.cantate.be/Fishtest/; Proposition 1.1 of
https://www.cantate.be/Fishtest/support_MLE_multinomial.pdf, and section 4.1 of
https://www.cantate.be/Fishtest/normalized_elo_practical.pdf).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, log10, sqrt
from typing import Annotated, Final, Literal

from protocol.keys import Between, Key, KeyTable

EloModel = Literal["logistic", "normalized"]

MOST_NORMALIZED_ELO: Final = 200
"""The largest normalized Elo of a hypothesis. It is more than half a standard deviation of a game."""

_ELO: Final = Between(-1000, 1000)
_PROBABILITY: Final = Between(0, 0.5, open=True)


@dataclass(frozen=True, slots=True)
class Sprt(KeyTable):
    """A sequential probability ratio test (Wald 1945) of two Elo differences."""

    elo0: Annotated[float, _ELO, Key("One hypothesis: the first engine is stronger by this many Elo.")]
    elo1: Annotated[float, _ELO, Key("The other hypothesis. It must be greater than `elo0`.")]
    alpha: Annotated[float, _PROBABILITY, Key("The probability of accepting `elo1` wrongly.")] = 0.05
    beta: Annotated[float, _PROBABILITY, Key("The probability of accepting `elo0` wrongly.")] = 0.05
    model: Annotated[
        EloModel,
        Key(
            'The scale of `elo0` and `elo1`: `"logistic"` is the Elo of the tables; `"normalized"` is'
            " [normalized Elo](../explanation/matches.md#normalized-elo)."
        ),
    ] = "logistic"

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which `elo0` and `elo1` are accepted."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def __str__(self) -> str:
        text = f"elo0 {self.elo0:g}, elo1 {self.elo1:g}, alpha {self.alpha:g}, beta {self.beta:g}"
        model = "" if self.model == "logistic" else f", model {self.model}"
        return text + model


Counts = tuple[int, ...]
"""The numbers of pairs in which the first engine scored 0, 1/2, 1, 3/2 and 2 points. Where the loser starts,
the games are not in pairs: then the numbers of games in which it scored 0, 1/2 and 1."""

NORMALIZED = 800 / log(10)
"""One unit of (score - 1/2) / standard deviation of a game, in normalized Elo. Without draws the deviation is
1/2, and small differences are the same in normalized and in logistic Elo."""

_ZERO_COUNT = 1e-3  # replaces a count of 0, so that logarithms exist. The value is fishtest's.

_ROUNDS = 50
"""The most rounds in which the distribution with a given normalized Elo is found. Five are usual."""


@dataclass(frozen=True, slots=True)
class SprtStatus:
    """The state of a sequential test."""

    llr: float  # the log-likelihood ratio of elo1 to elo0
    units: int  # pairs so far or up to the decision
    accepted: str | None  # ``elo0`` or ``elo1``; None while the test is undecided


def values(counts: Sequence[float]) -> tuple[float, ...]:
    """The score of the first engine in each kind of pairs or games: its points divided by the most points."""
    return tuple(index / (len(counts) - 1) for index in range(len(counts)))


def mean_and_variance(weights: Sequence[float]) -> tuple[float, float]:
    """The mean and the variance of the score of a pair or game, for these numbers of pairs or games."""
    total, scores = sum(weights), values(weights)
    mean = sum(weight * score for weight, score in zip(weights, scores, strict=True)) / total
    squares = sum(weight * (score - mean) ** 2 for weight, score in zip(weights, scores, strict=True))
    return mean, squares / total


def score_of_elo(elo: float) -> float:
    """The expected score of an engine that is stronger by ``elo`` (logistic model)."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of_score(score: float) -> float:
    """The reverse of `score_of_elo`, for a score between 0 and 1."""
    return -400 * log10(1 / score - 1)


def hypothetical_scores(sprt: Sprt, variance: float) -> tuple[float, float]:
    """The scores of an engine on average if `elo0` is true, and if `elo1` is; from the variance of a pair."""
    if sprt.model == "logistic":
        return score_of_elo(sprt.elo0), score_of_elo(sprt.elo1)
    deviation = sqrt(2 * variance)
    return 0.5 + sprt.elo0 / NORMALIZED * deviation, 0.5 + sprt.elo1 / NORMALIZED * deviation


def llr(sprt: Sprt, counts: Sequence[float]) -> float:
    """The log-likelihood ratio of elo1 to elo0 for these numbers of pairs."""
    weights = [number or _ZERO_COUNT for number in counts]
    fit = _logistic_divisors if sprt.model == "logistic" else _normalized_divisors
    divisors = zip(weights, fit(weights, sprt.elo0), fit(weights, sprt.elo1), strict=True)
    return sum(weight * log(divisor0 / divisor1) for weight, divisor0, divisor1 in divisors)


def _logistic_divisors(weights: Sequence[float], elo: float) -> list[float]:
    """The numbers by which to divide the weights to get the best distribution with the score of ``elo``."""
    score = score_of_elo(elo)
    distances = [value - score for value in values(weights)]
    tilt = _tilt(weights, distances)
    return [1 + tilt * distance for distance in distances]


def _normalized_divisors(weights: Sequence[float], elo: float) -> list[float]:
    """The same as `_logistic_divisors` for the normalized Elo ``elo``.

    The mean is t standard deviations above 1/2, with t proportional to ``elo``: not linear, so it is
    approximated at the distribution of the round before, starting with the uniform one.
    """
    ratio = elo / NORMALIZED * sqrt(2)
    scores, total = values(weights), sum(weights)
    shares = divisors = [1.0] * len(weights)
    for _ in range(_ROUNDS):
        mean, variance = mean_and_variance(shares)
        deviation = sqrt(variance)
        distances = [
            score - 0.5 - ratio * deviation * (1 + ((score - mean) / deviation) ** 2) / 2 for score in scores
        ]
        tilt = _tilt(weights, distances)
        divisors = [1 + tilt * distance for distance in distances]
        before = shares
        shares = [weight / total / divisor for weight, divisor in zip(weights, divisors, strict=True)]
        if max(abs(share - old) for share, old in zip(shares, before, strict=True)) < 1e-9:
            break
    return divisors


def _tilt(weights: Sequence[float], distances: Sequence[float]) -> float:
    """Find the x for which the sum of weight·d / (1 + x·d) is 0, for the distances d of both signs.

    The best distribution with the expected distance 0 gives each value a probability proportional to weight /
    (1 + x·d). The sum decreases, so it has one zero. Newton's method finds it, with bisection for steps that
    leave the interval.
    """
    low, high = -1 / max(distances), -1 / min(distances)
    x = 0.0
    for _ in range(100):
        value = slope = 0.0
        for weight, distance in zip(weights, distances, strict=True):
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
