"""Fit Elo strengths to all games of one id, in any order, by the model of `arena.ratings.likelihood`.

A weak prior keeps all values finite, for example if an engine has won all its games: a standard deviation of
1000 Elo for strengths around a common mean and for the parameters of ties around 0, and 200 for seats. A few
dozen games outweigh it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from math import comb, log, sqrt
from typing import Final, Protocol

from arena.errors import ArenaError
from arena.ratings import DEVIATIONS
from arena.ratings.settings import Anchor, RatingSettings
from arena.scoring import GameScoreCounts


@contextmanager
def _loaded_with_one_thread() -> Iterator[None]:
    """Load the library of matrices with one thread: more wait for each other with full power.

    Running games need the processors. Engines get `os.environ`, so that stays as it is.
    """
    name = "OPENBLAS_NUM_THREADS"
    if name in os.environ:
        yield
    else:
        os.putenv(name, "1")
        yield
        os.unsetenv(name)


with _loaded_with_one_thread():
    import numpy as np

    from arena.ratings.likelihood import Choices, Numbers
    from arena.ratings.superiority import SPREADS, Quadratic, Superiority, quadratic

SEPARATED: Final = 0.95
"""From this probability on, that one engine is stronger than another, games separate the two."""

_ELO: Final = 400 / log(10)  # Elo per natural logarithm of odds
_DEVIATION: Final = 1000.0  # prior standard deviation of strengths and of tie parameters, in Elo

_SEAT_DEVIATION: Final = 200.0
"""Prior standard deviation of seats, in Elo. In a good game the seats differ less than the engines do."""

_TOLERANCE: Final = 1e-9  # the fit stops when a step gains less log-likelihood than this

_SAFE_GAIN: Final = 1e-3
"""The log-likelihood is not compared after a step whose expected gain is less than this. Such a step cannot
go too far, and rounding errors could be larger than its gain."""

_DIGITS: Final = 6
"""Decimals of Elo that count for the order of engines. Rounding errors are in the last decimals."""

_MANY: Final = 400
"""With more engines the games count as independent, and the spread is computed without eigenvalues."""

_INDEPENDENT: Final = 10  # how many clusters the assumption that games are independent is worth

_SPREAD_STEPS: Final = 6
"""The largest number of approximations while the spread is estimated; two or three are usual."""

_SPREAD_TOLERANCE: Final = 1e-3
"""As `_TOLERANCE`, for the strengths around which the likelihood is approximated."""


@dataclass(frozen=True, slots=True)
class Strength:
    """The Elo of one engine, and half of its 95 % interval, which is 0 for the anchor."""

    name: str
    elo: float
    error: float


@dataclass(frozen=True, slots=True)
class SeatStrength:
    """The advantage of a seat over the mean of all seats in Elo, and half of its 95 % interval."""

    elo: float
    error: float


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """The strengths, best first, the seats in order, and the draws that fit the games best."""

    strengths: tuple[Strength, ...]
    seats: tuple[SeatStrength, ...]
    draws: float  # the probability that two equal engines tie when all seats are equal
    covariance: Numbers  # of the strengths, in Elo squared
    superior: Superiority
    clustered: bool = False  # whether the errors count the games of the same engines on one opening as one

    def ahead(self, names: Sequence[str]) -> list[float | None]:
        """How likely each engine is stronger than the next one; None for the last, and without a fit."""
        places = {strength.name: place for place, strength in enumerate(self.strengths)}
        ahead: list[float | None] = []
        for name, following in pairwise(names):
            first, second = places.get(name), places.get(following)
            if first is None or second is None:
                ahead.append(None)
            else:
                ahead.append(self.superior.stronger(first, second))
        return [*ahead, None] if names else []

    def tie_groups(self, names: Collection[str]) -> dict[str, int]:
        """Return for each of these engines the number of its tie group, from 1, the strongest first.

        A group has a first engine, and all that follow until one that games separate from the first.
        """
        numbers: dict[str, int] = {}
        first, number = -1, 0
        for place, strength in enumerate(self.strengths):
            if strength.name not in names:
                continue
            if not number or self.superior.stronger(first, place) >= SEPARATED:
                first, number = place, number + 1
            numbers[strength.name] = number
        return numbers

    def superiority(self) -> list[list[float]]:
        """The probability that the engine of the row is stronger than the engine of the column."""
        return self.superior.matrix()


def fit(
    games: GameScoreCounts,
    settings: RatingSettings,
    anchor: Anchor | None = None,
    clusters: Sequence[GameScoreCounts] = (),
) -> Fit | None:
    """Fit the rated games of one id; None if no game is rated, `ArenaError` if the anchor has no rated game.

    The ``clusters`` are the same games in groups that depend on each other, such as those on one opening;
    empty if all games are independent.
    """
    rated = rated_games(games, settings)
    if not rated:
        return None
    names = names_in(rated)
    if anchor is not None and anchor.name not in names:
        raise ArenaError(
            f"the anchor {anchor.name!a} has no rated game; choose one of {', '.join(names)}, or remove the"
            " anchor with `arena ratings --game ID --store anchor=default`"
        )
    choices = Choices(rated, names)
    found = peak(choices, names, [*filter(None, (rated_games(cluster, settings) for cluster in clusters))])
    parameters, covariance = found.parameters, found.covariance
    # If the spread needs this covariance, because there are many engines, no cluster counts in it.
    superior = _superior(choices, parameters, covariance, len(names)).sorted
    count, seats = len(names), slice(len(names), len(names) + choices.seats)
    origin = np.full(count, 1 / count) if anchor is None else np.eye(count)[names.index(anchor.name)]
    elo, elo_covariance = _relative(parameters[:count], covariance[:count, :count], origin)
    elo += 0 if anchor is None else anchor.elo
    order = _best_first(elo, names)
    seat_elo, seat_covariance = _relative(
        parameters[seats], covariance[seats, seats], np.full(choices.seats, 1 / choices.seats)
    )
    return Fit(
        strengths=tuple(
            Strength(names[index], float(elo[index]), _error(elo_covariance[index, index])) for index in order
        ),
        seats=tuple(
            SeatStrength(float(value), _error(variance))
            for value, variance in zip(seat_elo, seat_covariance.diagonal(), strict=True)
        ),
        draws=_draws([1.0, *np.exp(parameters[seats.stop :]).tolist()], choices.seats),
        covariance=elo_covariance[np.ix_(order, order)],
        superior=superior(order),
        clustered=found.clustered,
    )


class Likelihood(Protocol):
    """A log-likelihood that is concave in its parameters."""

    def likelihood(self, parameters: Numbers) -> float:
        """Return the log-likelihood."""

    def derivatives(self, parameters: Numbers) -> tuple[float, Numbers, Numbers]:
        """Return the log-likelihood, its gradient, and its negative second derivatives."""


def rated_games(games: GameScoreCounts, settings: RatingSettings) -> GameScoreCounts:
    """Return the games that are rated."""
    return Counter({outcome: count for outcome, count in games.items() if settings.rates(outcome)})


def names_in(games: GameScoreCounts) -> list[str]:
    """Return the engines of some games in the order of their names."""
    return sorted({seat.name for outcome in games for seat in outcome})


@dataclass(frozen=True, slots=True, eq=False)
class Peak:
    """The most likely parameters, the information matrix there, and the covariance of their errors."""

    parameters: Numbers
    information: Numbers
    covariance: Numbers
    clustered: bool  # whether the covariance counts each cluster as one observation


def peak(choices: Choices, names: Sequence[str], clusters: Sequence[GameScoreCounts]) -> Peak:
    """Fit the games of one id; ``clusters`` as for `fit`, with rated games only."""
    prior = prior_of(choices)
    parameters, information = maximum(choices, prior, np.zeros(choices.size))
    covariance = np.linalg.inv(information)
    clustered = len(clusters) > 1 and len(names) <= _MANY
    if clustered:
        covariance = clustered_covariance(clusters, names, parameters, covariance, prior)
    return Peak(parameters, information, covariance, clustered)


def ranked(names: Sequence[str], parameters: Numbers, covariance: Numbers) -> tuple[Strength, ...]:
    """Return the strengths that the first parameters are, the best first; their mean is 0."""
    count = len(names)
    elo, errors = _relative(parameters[:count], covariance[:count, :count], np.full(count, 1 / count))
    return tuple(
        Strength(names[index], float(elo[index]), _error(errors[index, index]))
        for index in _best_first(elo, names)
    )


def _best_first(elo: Numbers, names: Sequence[str]) -> list[int]:
    return sorted(range(len(names)), key=lambda index: (-round(float(elo[index]), _DIGITS), names[index]))


def _superior(choices: Choices, parameters: Numbers, covariance: Numbers, engines: int) -> Superiority:
    """Estimate the spread of the engines, and return their strengths for each probable spread.

    The log-likelihood is approximated around the most likely strengths for a spread, and the approximation
    gives a better spread, until the spread stays the same. With many engines the spread is known well: its
    square is the variance of their strengths minus the variance of their errors.
    """
    if engines > _MANY:
        engines_only = covariance[:engines, :engines]
        # Without the error of the common mean.
        errors = (engines_only.trace() - engines_only.mean() * engines) / (engines - 1)
        excess = _ELO**2 * (parameters[:engines].var(ddof=1) - errors)
        prior = prior_of(choices, sqrt(max(float(excess), SPREADS[0] ** 2)))
        parameters, information = maximum(choices, prior, parameters, _SPREAD_TOLERANCE)
        block = _ELO**2 * np.linalg.inv(information)[:engines, :engines]
        return Superiority(np.ones(1), _ELO * parameters[None, :engines], block[None])
    spread = _DEVIATION
    for _ in range(_SPREAD_STEPS):
        likely = _around(choices, parameters, engines).likely_spread()
        if likely == spread:
            break
        spread = likely
        parameters, _ = maximum(choices, prior_of(choices, spread), parameters, _SPREAD_TOLERANCE)
    superiority = _around(choices, parameters, engines).superiority()
    return superiority.reweighted(_corrections(choices, parameters, superiority))


def _corrections(choices: Choices, parameters: Numbers, superiority: Superiority) -> Numbers:
    """Return by how much the log-likelihood differs from its approximation, at the strengths of each spread.

    Else spreads far from its centre could look probable: equal strengths, although one engine has won all
    games.
    """
    value, gradient, information = choices.derivatives(parameters)
    engines = superiority.means.shape[1]
    corrections = []
    for mean in superiority.means / _ELO:
        step = np.zeros(choices.size)
        step[:engines] = mean - (parameters[:engines] - parameters[:engines].mean())
        approximation = value + gradient @ step - step @ information @ step / 2
        corrections.append(choices.likelihood(parameters + step) - float(approximation))
    return np.array(corrections)


def _around(choices: Choices, parameters: Numbers, engines: int) -> Quadratic:
    """Approximate the log-likelihood of the strengths around these parameters."""
    _, gradient, information = choices.derivatives(parameters)
    prior = prior_of(choices) / _ELO**2
    return quadratic(_ELO * parameters, gradient / _ELO, information / _ELO**2, prior, engines)


def maximum(
    choices: Likelihood, prior: Numbers, start: Numbers, tolerance: float = _TOLERANCE
) -> tuple[Numbers, Numbers]:
    """The most likely parameters and the information matrix there, by Newton's method."""
    parameters = start
    while True:
        likelihood, gradient, information = choices.derivatives(parameters)
        value = likelihood - _square(parameters, prior) / 2
        gradient -= prior * parameters
        information += np.diag(prior)
        step = np.linalg.solve(information, gradient)
        gain = float(gradient @ step)
        if gain < tolerance:
            return parameters, information
        scale = 1.0
        while (
            gain > _SAFE_GAIN and _value(choices, parameters + scale * step, prior) < value + scale * gain / 4
        ):
            scale /= 2
        parameters = parameters + scale * step


def prior_of(choices: Choices, spread: float = _DEVIATION) -> Numbers:
    """The inverse of each parameter's prior variance, for strengths with this standard deviation in Elo."""
    ties = choices.seats - 1
    numbers = (choices.size - choices.seats - ties, choices.seats, ties)
    prior: Numbers = (_ELO / np.repeat([spread, _SEAT_DEVIATION, _DEVIATION], numbers)) ** 2
    return prior


def _value(choices: Likelihood, parameters: Numbers, prior: Numbers) -> float:
    return choices.likelihood(parameters) - _square(parameters, prior) / 2


def _square(parameters: Numbers, weights: Numbers) -> float:
    return float(parameters * weights @ parameters)


def _relative(values: Numbers, covariance: Numbers, weights: Numbers) -> tuple[Numbers, Numbers]:
    """Elo relative to a weighted mean of logarithms of odds, and its covariance; the weights add up to 1."""
    elo: Numbers = _ELO * (values - weights @ values)
    # The covariance of (I - 1·weights) @ values, without a product of large matrices.
    mean: Numbers = covariance @ weights
    change: Numbers = covariance - mean[None, :] - mean[:, None] + weights @ mean
    return elo, _ELO**2 * change


def _draws(ties: Sequence[float], players: int) -> float:
    """The probability that two of several equal players tie; ``ties`` are for 1, 2, … players on a place."""
    if players < 2:
        return 0.0
    weights = [ties[size - 1] * comb(players, size) for size in range(1, players + 1)]
    pairs = comb(players, 2)
    tied = sum(
        weight * (comb(size, 2) + comb(players - size, 2) * _draws(ties, players - size)) / pairs
        for size, weight in enumerate(weights, 1)
    )
    return tied / sum(weights)


def _error(variance: float) -> float:
    return DEVIATIONS * sqrt(max(variance, 0.0))


def clustered_covariance(
    clusters: Sequence[GameScoreCounts],
    names: Sequence[str],
    parameters: Numbers,
    covariance: Numbers,
    prior: Numbers,
) -> Numbers:
    """Return the covariance of fitted parameters when the games of one cluster depend on each other.

    Two games of the same engines on one opening are not independent, so they count as one observation. With
    the gradient s of each cluster's log-likelihood and the information matrix H, the covariance is

        inverse(H) · (sum of s · sT) · inverse(H)

    (K.-Y. Liang and S. L. Zeger, Longitudinal data analysis using generalized linear models, Biometrika 73,
    1986). It is inexact with few clusters, so it is mixed with inverse(H), the covariance for independent
    games, which gets the weight of `_INDEPENDENT` clusters. ``prior`` is the inverse of each parameter's
    prior variance.
    """
    kinds = Counter(frozenset(cluster.items()) for cluster in clusters)
    ordered = sorted(kinds.items(), key=lambda kind: sorted(map(str, kind[0])))  # sums depend on the order
    gradients = np.array([Choices(dict(kind), names).gradient(parameters) for kind, _ in ordered])
    weights = np.array([count for _, count in ordered], dtype=np.float64)
    number = weights.sum()
    middle = (gradients * weights[:, None]).T @ gradients * number / (number - 1) + np.diag(prior)
    share = number / (number + _INDEPENDENT)
    mixed: Numbers = share * covariance @ middle @ covariance + (1 - share) * covariance
    return mixed
