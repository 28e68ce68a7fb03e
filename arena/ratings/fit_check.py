"""Check how well a fit explains the games: strengths on one scale cannot explain a circle of engines.

In games of more than two players, each pair of seats counts as a game of two, which is an approximation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import erfc, exp, log, sqrt
from typing import Final, NamedTuple

from arena.ratings import DEVIATIONS
from arena.ratings.fit import Fit
from arena.ratings.settings import RatingSettings
from arena.scoring import GameScoreCounts

_ELO: Final = 400 / log(10)
_MOST_BINS: Final = 8
_LEAST_VARIANCE: Final = 1.0
"""Pairs whose points vary less than this are left out: the normal approximation does not hold for them."""

_LEAST_WINS: Final = 1e-9  # the smallest share of games between equals without a draw

_SURPRISING: Final = 0.001
"""Results that are less probable than this, if the fit is right, are worth a warning."""


class _Meeting(NamedTuple):
    """Games of two engines on two seats with one result, as the first sees it; the Elo includes seats."""

    names: tuple[str, str]
    difference: float
    points: float
    games: int


@dataclass(frozen=True, slots=True)
class PairCheck:
    """The games of two engines."""

    names: tuple[str, str]
    games: int
    points: float  # of the first one, with a draw as half a point
    expected: float
    deviation: float  # of the points, if the fit is right

    @property
    def surprise(self) -> float:
        """The difference from the expected points in standard deviations, without its sign."""
        return abs(self.points - self.expected) / self.deviation


@dataclass(frozen=True, slots=True)
class DifferenceCheck:
    """Games in which the stronger side was stronger by about the same difference."""

    difference: float  # the mean in Elo, seats included
    games: int
    observed: tuple[float, float, float]  # the shares of wins, draws and losses of the stronger side
    expected: tuple[float, float, float]

    @property
    def points(self) -> float:
        """The observed points of a game of the stronger side."""
        return self.observed[0] + self.observed[1] / 2

    @property
    def expected_points(self) -> float:
        """The expected points of a game of the stronger side."""
        return self.expected[0] + self.expected[1] / 2

    @property
    def error(self) -> float:
        """Half of the 95 % interval of the observed points, if the fit is right."""
        variance = self.expected[0] + self.expected[1] / 4 - self.expected_points**2
        return DEVIATIONS * sqrt(max(variance, 0.0) / self.games)


@dataclass(frozen=True, slots=True)
class FitCheck:
    """How well a fit explains the games."""

    differences: tuple[DifferenceCheck, ...]  # the smallest first
    pairs: int  # those with games enough to be compared
    worst: PairCheck | None
    chi_square: float  # the sum of the squared surprises of the pairs
    freedom: int  # 0 for more than two players: the pairs of a game are not independent

    @property
    def probability(self) -> float:
        """The probability of a larger chi-square if the fit is right (Wilson and Hilferty 1931)."""
        if self.freedom < 1:
            return 1.0
        spread = 2 / (9 * self.freedom)
        deviate = ((self.chi_square / self.freedom) ** (1 / 3) - (1 - spread)) / sqrt(spread)
        return erfc(deviate / sqrt(2)) / 2

    @property
    def explains(self) -> bool:
        """Whether the results of the pairs differ from the fit by no more than chance explains."""
        return self.probability >= _SURPRISING


def check_fit(games: GameScoreCounts, settings: RatingSettings, fitted: Fit) -> FitCheck:
    """Check a fit to these games; the settings decide which of them are rated."""
    tie = 2 * fitted.draws / max(1 - fitted.draws, _LEAST_WINS)
    # Sorted, because sums in another order differ in their last digits.
    meetings = sorted(_meetings(games, settings, fitted))
    sums: defaultdict[tuple[str, str], list[float]] = defaultdict(lambda: [0, 0.0, 0.0, 0.0])
    for names, difference, points, count in meetings:
        turned = names[0] > names[1]
        win, draw, _ = _shares(-difference if turned else difference, tie)
        mean = win + draw / 2
        total = sums[names[::-1] if turned else names]
        total[0] += count
        total[1] += count * (1 - points if turned else points)
        total[2] += count * mean
        total[3] += count * (win + draw / 4 - mean**2)
    pairs = [
        PairCheck(names, int(number), points, expected, sqrt(variance))
        for names, (number, points, expected, variance) in sorted(sums.items())
        if variance >= _LEAST_VARIANCE
    ]
    engines = {name for pair in pairs for name in pair.names}
    return FitCheck(
        _differences(meetings, tie),
        len(pairs),
        max(pairs, key=lambda pair: pair.surprise, default=None),
        sum(pair.surprise**2 for pair in pairs),
        max(len(pairs) - max(len(engines) - 1, 0), 0) if len(fitted.seats) == 2 else 0,
    )


def _meetings(games: GameScoreCounts, settings: RatingSettings, fitted: Fit) -> Iterator[_Meeting]:
    elo = {strength.name: strength.elo for strength in fitted.strengths}
    for outcome, count in games.items():
        if not settings.rates(outcome):
            continue
        for (one, first), (other, second) in combinations(enumerate(outcome), 2):
            seats = fitted.seats[one].elo - fitted.seats[other].elo
            points = 0.5 if first.rank == second.rank else float(first.rank < second.rank)
            names = first.name, second.name
            yield _Meeting(names, elo[first.name] - elo[second.name] + seats, points, count)


def _shares(difference: float, tie: float) -> tuple[float, float, float]:
    """Return the probabilities of a win, a draw and a loss, with Davidson's draws."""
    win, loss = exp(difference / _ELO / 2), exp(-difference / _ELO / 2)
    total = win + tie + loss
    return win / total, tie / total, loss / total


def _differences(meetings: Sequence[_Meeting], tie: float) -> tuple[DifferenceCheck, ...]:
    """Divide the games into parts of about the same size, by the difference of strength."""
    sides = sorted(
        (abs(one.difference), one.points if one.difference >= 0 else 1 - one.points, one.games)
        for one in meetings
    )
    size = sum(games for _, _, games in sides) / _MOST_BINS
    parts: list[list[tuple[float, float, int]]] = []
    before = 0
    for side in sides:
        if not parts or before >= size * len(parts):
            parts.append([])
        parts[-1].append(side)
        before += side[2]
    return tuple(_difference(part, tie) for part in parts)


def _difference(part: Sequence[tuple[float, float, int]], tie: float) -> DifferenceCheck:
    games = sum(count for _, _, count in part)
    observed = tuple(
        sum(count for _, points, count in part if points == result) / games for result in (1, 0.5, 0)
    )
    expected = [_shares(difference, tie) for difference, _, _ in part]
    shares = tuple(
        sum(share[result] * count for share, (_, _, count) in zip(expected, part, strict=True)) / games
        for result in range(3)
    )
    mean = sum(difference * count for difference, _, count in part) / games
    return DifferenceCheck(
        mean, games, (observed[0], observed[1], observed[2]), (shares[0], shares[1], shares[2])
    )
