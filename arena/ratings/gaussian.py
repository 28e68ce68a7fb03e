"""What a win or a draw says about the difference of two performances: moments of a truncated normal.

The difference is normal with mean ``t`` and deviation 1; a win says that it exceeds the draw margin ``e``, a
draw that it lies within the margin. ``v`` is how far that moves the mean, ``w`` the share by which it shrinks
the variance (Herbrich, Minka, Graepel: TrueSkill, 2007, section 3.1). The textbook forms divide by
probabilities, which vanish for a great upset; far out everything is taken relative to the density instead.
"""

from __future__ import annotations

import math
from statistics import NormalDist

__all__ = ["draw", "margin", "win"]

_FAR = 5.0  # deviations; from there on the continued fraction has settled to the last digit
_TERMS = 60
_NORMAL = NormalDist()


def margin(draw_probability: float, beta: float) -> float:
    """The draw margin that makes such a share of the games between two equals draws."""
    return _NORMAL.inv_cdf((draw_probability + 1) / 2) * math.sqrt(2) * beta


def win(t: float, e: float) -> tuple[float, float]:
    """Return v and w of a win by the one who was ahead by ``t``."""
    x = t - e
    if x < -_FAR:
        more = _excess(-x)
        return more - x, min((more - x) * more, 1.0)
    v = _density(x) / _probability(x)
    return v, v * (v + x)


def draw(t: float, e: float) -> tuple[float, float]:
    """Return v and w of a draw; v is negative for ``t`` above 0: who was ahead falls."""
    ahead = abs(t)
    near, far = ahead - e, ahead + e
    if near > _FAR:
        ratio = math.exp(-2 * ahead * e)  # of the densities at both ends
        mass = 1 / (near + _excess(near)) - ratio / (far + _excess(far))
        v = (1 - ratio) / mass
        w = v * v - (near - ratio * far) / mass
    else:
        mass = _probability(-near) - _probability(-far)
        v = (_density(near) - _density(far)) / mass
        w = v * v - (near * _density(near) - far * _density(far)) / mass
    return math.copysign(v, -t), min(max(w, 0.0), 1.0)


def _density(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def _probability(x: float) -> float:
    """Of anything below ``x``."""
    return math.erfc(-x / math.sqrt(2)) / 2


def _excess(x: float) -> float:
    """By how much the mean of what lies above ``x`` exceeds ``x``, for ``x`` of at least 5.

    Together with ``x`` that is the density at ``x`` divided by the probability above it (Mills' ratio upside
    down); computed by its continued fraction x + 1/(x + 2/(x + 3/…)).
    """
    rest = x
    for term in range(_TERMS, 1, -1):
        rest = x + term / rest
    return 1 / rest
