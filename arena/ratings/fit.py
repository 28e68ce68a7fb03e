"""Strengths that explain all games of an id best, at once: the order of the games plays no part.

The model is that of `arena.ratings.likelihood`, in Elo: 400 points are odds of ten to one. Beside the games
there is a weak assumption: strengths lie around a common mean with a deviation of 1000 Elo, seats with one of
200. It keeps finite what the games alone leave open, as for an engine that has won all of them, and a few
dozen games outweigh it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, log, sqrt
from statistics import NormalDist
from typing import Final

import numpy as np

from arena.confidence import DEVIATIONS
from arena.errors import ArenaError
from arena.ratings.likelihood import Choices, Numbers
from arena.ratings.settings import RatingSettings
from arena.ratings.settings_text import Anchor
from arena.scoring import GameScoreCounts

__all__ = ["Fit", "SeatStrength", "Strength", "fit"]

_ELO: Final = 400 / log(10)
"""Elo in one unit of a logarithm of odds."""

_DEVIATION: Final = 1000.0
"""Of strengths before the first game, and of how much commoner ties are than wins: Elo."""

_SEAT_DEVIATION: Final = 200.0
"""Of what a seat is worth: two engines differ by more than the seats of a game that is worth playing."""

_ENOUGH: Final = 1e-9
"""How much of the log-likelihood may be missing in the end."""

_NEAR: Final = 1e-3
"""Nearer than this no step goes too far, and rounding would hide whether one did."""

_DIGITS: Final = 6
"""Decimals of Elo by which engines are put in order: equals differ in the last ones."""

_TINY: Final = 1e-12
"""A variance for an engine against itself, so that it is stronger with one half."""


@dataclass(frozen=True, slots=True)
class Strength:
    """One engine.

    Attributes:
        name: the engine.
        elo: its strength; the mean of all is 0, or the anchor where it was set.
        error: the truth lies within elo ± error in 95 of 100 cases; 0 for the anchor.
    """

    name: str
    elo: float
    error: float


@dataclass(frozen=True, slots=True)
class SeatStrength:
    """What a seat is worth, against the mean of all seats: Elo, and the half of an interval of 95 %."""

    elo: float
    error: float


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """What explains the games best.

    Attributes:
        strengths: best first.
        seats: in order.
        draws: how often two tie where all are equal and no seat is better.
        covariance: of the strengths in this order, in Elo.
    """

    strengths: tuple[Strength, ...]
    seats: tuple[SeatStrength, ...]
    draws: float
    covariance: Numbers

    def superiority(self) -> list[list[float]]:
        """How likely the engine of the row is stronger than that of the column."""
        elo = np.array([strength.elo for strength in self.strengths])
        own = self.covariance.diagonal()
        deviation = np.sqrt(np.maximum(own[:, None] + own[None, :] - 2 * self.covariance, _TINY))
        cdf = NormalDist().cdf
        return [list(map(cdf, row)) for row in ((elo[:, None] - elo[None, :]) / deviation).tolist()]


def fit(games: GameScoreCounts, settings: RatingSettings, anchor: Anchor | None = None) -> Fit | None:
    """Fit the rated games of one id; None if there is none.

    Args:
        games: that count.
        settings: say which of them are rated.
        anchor: an engine whose Elo is given.

    Raises:
        ArenaError: the anchor has no rated game.
    """
    rated = {outcome: count for outcome, count in games.items() if settings.rates(outcome)}
    if not rated:
        return None
    names = sorted({share.name for outcome in rated for share in outcome})
    if anchor is not None and anchor.name not in names:
        raise ArenaError(
            f"the anchor {anchor.name!a} has no rated game; there are {', '.join(names)};"
            " `arena ratings --game ID --set anchor=default` takes a list's anchor back"
        )
    choices = Choices(rated, names)
    parameters, covariance = _maximum(choices)
    count, seats = len(names), slice(len(names), len(names) + choices.seats)
    seen_from = np.full(count, 1 / count) if anchor is None else np.eye(count)[names.index(anchor.name)]
    elo, spread = _seen(parameters[:count], covariance[:count, :count], seen_from)
    elo += 0 if anchor is None else anchor.elo
    order = sorted(range(count), key=lambda index: (-round(float(elo[index]), _DIGITS), names[index]))
    seat_elo, seat_spread = _seen(
        parameters[seats], covariance[seats, seats], np.full(choices.seats, 1 / choices.seats)
    )
    return Fit(
        strengths=tuple(
            Strength(names[index], float(elo[index]), _error(spread[index, index])) for index in order
        ),
        seats=tuple(
            SeatStrength(float(value), _error(variance))
            for value, variance in zip(seat_elo, seat_spread.diagonal(), strict=True)
        ),
        draws=_draws([1.0, *np.exp(parameters[seats.stop :]).tolist()], choices.seats),
        covariance=spread[np.ix_(order, order)],
    )


def _maximum(choices: Choices) -> tuple[Numbers, Numbers]:
    """The likeliest parameters and their covariance, by Newton's method."""
    parameters = np.zeros(choices.size)
    prior = _prior(choices)
    while True:
        likelihood, slope, information = choices.derivatives(parameters)
        value = likelihood - _square(parameters, prior) / 2
        slope -= prior * parameters
        information += np.diag(prior)
        step = np.linalg.solve(information, slope)
        gain = float(slope @ step)
        if gain < _ENOUGH:
            return parameters, np.asarray(np.linalg.inv(information), dtype=np.float64)
        share = 1.0
        while gain > _NEAR and _value(choices, parameters + share * step, prior) < value + share * gain / 4:
            share /= 2
        parameters += share * step


def _prior(choices: Choices) -> Numbers:
    """One over the square of every parameter's deviation before the first game."""
    deviations = np.full(choices.size, _DEVIATION)
    first = choices.size - 2 * choices.seats + 1
    deviations[first : first + choices.seats] = _SEAT_DEVIATION
    return (_ELO / deviations) ** 2


def _value(choices: Choices, parameters: Numbers, prior: Numbers) -> float:
    return choices.likelihood(parameters) - _square(parameters, prior) / 2


def _square(parameters: Numbers, weights: Numbers) -> float:
    return float(parameters * weights @ parameters)


def _seen(values: Numbers, covariance: Numbers, origin: Numbers) -> tuple[Numbers, Numbers]:
    """Elo and their covariance, as seen from a weighted mean."""
    change: Numbers = np.eye(len(values)) - origin
    seen: Numbers = _ELO * (change @ values)
    spread: Numbers = _ELO**2 * (change @ covariance @ change.T)
    return seen, spread


def _draws(ties: Sequence[float], left: int) -> float:
    """How often two of those who are left tie, if all are equal; ``ties`` begins with that of one."""
    if left < 2:
        return 0.0
    weights = [ties[size - 1] * comb(left, size) for size in range(1, left + 1)]
    pairs = comb(left, 2)
    tied = sum(
        weight * (comb(size, 2) + comb(left - size, 2) * _draws(ties, left - size)) / pairs
        for size, weight in enumerate(weights, 1)
    )
    return tied / sum(weights)


def _error(variance: float) -> float:
    return DEVIATIONS * sqrt(max(variance, 0.0))
