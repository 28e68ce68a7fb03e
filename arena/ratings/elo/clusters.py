"""The covariance of fitted parameters when the games of one opening depend on each other.

The curvature of the likelihood gives the errors of independent games. Two games from the same opening with
exchanged seats are not independent, nor is a game that is played twice. So the games of the same engines on
one opening count as one observation (a cluster). With the gradient s of each cluster's log-likelihood and the
information matrix H, the covariance is

    inverse(H) · (sum of s · sT) · inverse(H)

(K.-Y. Liang and S. L. Zeger, Longitudinal data analysis using generalized linear models, Biometrika 73,
1986). With few clusters this covariance is inexact. So it is mixed with inverse(H), the covariance for
independent games, which gets the weight of `_INDEPENDENT` clusters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np

from arena.ended_games import GameScoreCounts
from arena.ratings.elo.likelihood import Choices, Numbers

__all__ = ["clustered_covariance"]

_INDEPENDENT: Final = 10
"""How many clusters the assumption that games are independent is worth."""


def clustered_covariance(
    clusters: Sequence[GameScoreCounts],
    names: Sequence[str],
    parameters: Numbers,
    covariance: Numbers,
    prior: Numbers,
) -> Numbers:
    """Return the covariance of the parameters of a fit.

    Args:
        clusters: the rated games of the fit; the games of one cluster depend on each other. Two or more.
        names: the engines, in the order of their parameters.
        parameters: the most likely parameters, shape (n,).
        covariance: their covariance if all games were independent, shape (n, n).
        prior: the inverse of each parameter's prior variance, shape (n,).
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
