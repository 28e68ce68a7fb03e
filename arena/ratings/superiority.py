"""How likely it is that one engine is stronger than another, with a spread estimated from the games.

With the prior of the fit, 1000 Elo, it would be too high: among engines that are nearly equal, the one with
the best results was mostly lucky. Here the standard deviation of strengths, the spread, is unknown (a
hierarchical prior, as in Gelman and Hill: Data Analysis Using Regression and Multilevel Models, 2007), with a
half-Cauchy prior (Gelman: Prior distributions for variance parameters in hierarchical models, 2006). Around
the most likely strengths the likelihood is nearly normal, so the probability of each spread has a closed form
(Laplace). The likelihood of superiority is the mean over all spreads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import erfc, sqrt
from typing import Final

import numpy as np

from arena.ratings.likelihood import Numbers

SPREADS: Final = np.geomspace(1.0, 2000.0, 30)
"""The spreads that are tried, in Elo."""

_SCALE: Final = 100.0
"""The scale of the half-Cauchy distribution, in Elo: half of all spreads are smaller than it."""

_LEAST_WEIGHT: Final = 1e-3  # spreads with a smaller probability are left out

_MIN_VARIANCE: Final = 1e-12
"""The smallest variance of a difference, so that an engine is stronger than itself with probability 1/2."""


@dataclass(frozen=True, slots=True, eq=False)
class Superiority:
    """The strengths for each probable spread, in Elo."""

    weights: Numbers  # the probability of each spread, shape (spreads,)
    means: Numbers  # shape (spreads, engines)
    covariances: Numbers  # shape (spreads, engines, engines)

    def reweighted(self, logarithms: Numbers) -> Superiority:
        """Return the same with weights times the exponentials of numbers, without improbable spreads."""
        weights = self.weights * np.exp(logarithms - logarithms.max())
        used = weights > _LEAST_WEIGHT * weights.max()
        weights = weights[used]
        return Superiority(weights / weights.sum(), self.means[used], self.covariances[used])

    def sorted(self, order: Sequence[int]) -> Superiority:
        """Return the same for the engines in another order, as indices."""
        places = list(order)
        return Superiority(self.weights, self.means[:, places], self.covariances[:, places][:, :, places])

    def stronger(self, first: int, second: int) -> float:
        """Return the probability that the first engine is stronger than the second."""
        of = self.covariances
        variance = of[:, first, first] + of[:, second, second] - 2 * of[:, first, second]
        ratio = (self.means[:, first] - self.means[:, second]) / np.sqrt(np.maximum(variance, _MIN_VARIANCE))
        return float(self.weights @ np.array([_normal(value) for value in ratio.tolist()]))

    def matrix(self) -> list[list[float]]:
        """Return the probability that the engine of the row is stronger than the engine of the column."""
        total = np.zeros(self.covariances.shape[1:])
        for weight, mean, covariance in zip(self.weights, self.means, self.covariances, strict=True):
            single = covariance.diagonal()
            variance = np.maximum(single[:, None] + single[None, :] - 2 * covariance, _MIN_VARIANCE)
            ratio = (mean[:, None] - mean[None, :]) / np.sqrt(variance)
            total += weight * np.array([list(map(_normal, row)) for row in ratio.tolist()])
        return [list(map(float, row)) for row in total]


@dataclass(frozen=True, slots=True, eq=False)
class Quadratic:
    """A log-likelihood of strengths x in Elo, ``force @ x - x @ (axes * curvature) @ axes.T @ x / 2``."""

    axes: Numbers  # directions as columns, without the mean of all, shape (engines, engines - 1)
    curvature: Numbers  # along each direction
    force: Numbers  # along each direction

    def likely_spread(self) -> float:
        """Return the most probable spread in Elo."""
        return float(SPREADS[int(np.argmax(self._weights()))])

    def superiority(self) -> Superiority:
        """Return the strengths for each probable spread."""
        weights = self._weights()
        used = weights > _LEAST_WEIGHT**2 * weights.max()
        variances = 1 / (self.curvature[None, :] + SPREADS[used, None] ** -2.0)
        means = (variances * self.force) @ self.axes.T
        covariances = (self.axes * variances[:, None, :]) @ self.axes.T
        return Superiority(weights[used] / weights[used].sum(), means, covariances)

    def _weights(self) -> Numbers:
        """Return the posterior probability of each spread, up to a factor; the grid is logarithmic."""
        precision = SPREADS[:, None] ** -2.0
        total = self.curvature[None, :] + precision
        evidence = (np.log(precision / total) + self.force**2 / total).sum(axis=1) / 2
        prior = np.log(SPREADS) - np.log1p((SPREADS / _SCALE) ** 2)
        logarithm = evidence + prior
        weights: Numbers = np.exp(logarithm - logarithm.max())
        return weights


def quadratic(
    point: Numbers, gradient: Numbers, information: Numbers, prior: Numbers, engines: int
) -> Quadratic:
    """Approximate the log-likelihood of the strengths around a point; average over all other parameters.

    The parameters start with the strengths; ``information`` is the negative second derivatives, ``prior`` the
    inverse of each parameter's prior variance, which counts only for the others.
    """
    strengths, others = slice(engines), slice(engines, None)
    force = gradient + information @ point
    inner = information[others, others] + np.diag(prior[others])
    cross = np.linalg.solve(inner, information[others, strengths]).T
    curvature = information[strengths, strengths] - cross @ information[others, strengths]
    pull = force[strengths] - cross @ force[others]
    # A larger curvature along the mean makes it the last direction.
    largest = np.abs(curvature).sum(axis=1).max() * 2 + 1.0
    values, axes = np.linalg.eigh((curvature + curvature.T) / 2 + largest / engines)
    return Quadratic(axes[:, :-1], np.maximum(values[:-1], 0.0), axes[:, :-1].T @ pull)


def _normal(value: float) -> float:
    """Return the cumulative normal distribution."""
    return erfc(-value / sqrt(2)) / 2
