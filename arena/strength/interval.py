"""Where an engine stands among opponents of known strength, with an interval that holds at every look."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, log1p, sqrt
from typing import Final

from arena.ratings import CONFIDENCE

_ELO: Final = 400 / log(10)
"""Elo per natural logarithm of odds."""

_BEYOND: Final = 1500.0
"""How far beyond its opponents an engine is looked for, in Elo."""

_EXACT: Final = 0.25
"""The precision of an estimate in Elo."""

_STAKES: Final = ((1.0, 0.75), (3.0, 0.25))
"""Multiples of the best stake, and the shares of the capital that are bet with them. The larger stake gives
early looks a narrower interval, and costs the last look 8 % more games."""

_HIGHEST_STAKE: Final = 0.9

_NEAR: Final = 0.8
"""An opponent is near if its games tell at least this share of what the best opponent's tell."""

PairCounts = Mapping[tuple[float, int], int]
"""How many pairs had these half points, from 0 to 4, against an opponent of this strength."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The Elo of an engine, and its interval; a bound is None as long as the games do not show one."""

    elo: float | None  # None if all points, or none, are won
    low: float | None
    high: float | None

    @property
    def error(self) -> float | None:
        """The greater distance from the estimate to a bound."""
        if self.elo is None or self.low is None or self.high is None:
            return None
        return max(self.elo - self.low, self.high - self.elo)


def expected_score(lead: float, draws: float) -> float:
    """Return the share of points to expect against an opponent that one leads by so much Elo.

    That is Davidson's model (1970), in which equal engines draw the share ``draws`` of their games.
    """
    odds = exp(lead / _ELO)
    tie = 2 * draws / (1 - draws) * sqrt(odds)
    return (odds + tie / 2) / (odds + 1 + tie)


def estimate(pairs: PairCounts, draws: float, within: float) -> Estimate:
    """Estimate the Elo of an engine from its pairs of games, with a 95 % interval that holds at every look.

    An engine that is worth ``theta`` scores on average ``s = expected_score(theta - elo of the opponent)`` in
    each game. Somebody who doubts that it is worth so little bets on every pair, with a fixed stake ``c``:
    a capital of 1 becomes

        K+(theta) = product over all pairs of (1 + c * (score of the pair - s)),

    and with ``-c`` another capital K-(theta) doubts that it is worth so much. If ``theta`` is true, the bets
    are fair, whichever opponent comes next. So with a probability of at most 0.05 / 2 a capital ever reaches
    2 / 0.05 (J. Ville, Étude critique de la notion de collectif, 1939). The interval has all ``theta`` for
    which neither capital has reached it. It holds at all looks together, and for scores of any distribution
    (I. Waudby-Smith, A. Ramdas, Estimating means of bounded random variables by betting, Journal of the Royal
    Statistical Society B 86, 2024). K+ falls with theta and K- rises, so bisection finds the bounds.

    The best stake for an interval of ± ``within`` is the score that ``within`` is worth, divided by the
    variance of a pair between equals; `_STAKES` mixes two. The interval is as right as the strengths of the
    opponents.
    """
    if not pairs:
        return Estimate(None, None, None)
    lowest, highest = _range(pairs)
    stakes = _stakes(draws, within)
    limit = log(2 / (1 - CONFIDENCE))
    return Estimate(
        likely_elo(pairs, draws),
        _root(lambda theta: _capital(pairs, draws, theta, stakes, 1) - limit, lowest, highest),
        _root(lambda theta: limit - _capital(pairs, draws, theta, stakes, -1), lowest, highest),
    )


def likely_elo(pairs: PairCounts, draws: float) -> float | None:
    """Return the Elo with which one expects as many points as there are; None if all, or none, are won."""
    points = sum(half * number for (_, half), number in pairs.items()) / 4
    if not 0 < points < sum(pairs.values()):
        return None

    def surplus(theta: float) -> float:
        expected = (expected_score(theta - elo, draws) * number for (elo, _), number in pairs.items())
        return points - sum(expected)

    return _root(surplus, *_range(pairs))


def _range(pairs: PairCounts) -> tuple[float, float]:
    """Return the bounds between which an engine is looked for."""
    strengths = [elo for elo, _ in pairs]
    return min(strengths) - _BEYOND, max(strengths) + _BEYOND


def _stakes(draws: float, within: float) -> Sequence[tuple[float, float]]:
    """Return each stake with its share of the capital."""
    gain = expected_score(within, draws) - 0.5
    variance = (1 - draws) / 8
    return [(min(factor * gain / variance, _HIGHEST_STAKE), share) for factor, share in _STAKES]


def _capital(
    pairs: PairCounts, draws: float, theta: float, stakes: Sequence[tuple[float, float]], side: int
) -> float:
    """Return the logarithm of what 1 has become."""
    gains = [(half / 4 - expected_score(theta - elo, draws), number) for (elo, half), number in pairs.items()]
    logs = [
        log(share) + sum(number * log1p(side * stake * gain) for gain, number in gains)
        for stake, share in stakes
    ]
    most = max(logs)
    return most + log(sum(exp(value - most) for value in logs))


def _root(falling: Callable[[float], float], low: float, high: float) -> float | None:
    """Return where a function that falls crosses 0; None if it does not between two bounds."""
    if falling(low) < 0 or falling(high) > 0:
        return None
    while high - low > _EXACT:
        middle = (low + high) / 2
        if falling(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def most_telling(strengths: Sequence[float], started: Sequence[int], pairs: PairCounts, draws: float) -> int:
    """Return the place of the opponent that the next pair is played against.

    A pair tells most against an opponent of the same strength. Of those that tell nearly as much, the one
    with the fewest pairs that have started comes next. Before the first results an engine counts as average.
    """
    average = sum(strengths) / len(strengths)
    known = {**pairs, (average, 2): pairs.get((average, 2), 0) + 1}
    middle = likely_elo(known, draws) or 0.0
    telling = [_slope(middle - elo, draws) for elo in strengths]
    least = _NEAR * max(telling)
    near = [place for place, value in enumerate(telling) if value >= least]
    return min(near, key=lambda place: (started[place], -telling[place], place))


def _slope(lead: float, draws: float) -> float:
    """How much more score one Elo gives."""
    return expected_score(lead + 0.5, draws) - expected_score(lead - 0.5, draws)
