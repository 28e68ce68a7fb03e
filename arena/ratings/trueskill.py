"""TrueSkill over games in order: a typed wrapper of the `trueskill` library.

If an update fails with the library's approximations, `_Exact` repeats it. Both give wrong results if the draw
probability is too small, so `RatingSettings` limits it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import copysign, erfc, exp, expm1, pi, sqrt
from typing import Any

from trueskill import TrueSkill, calc_draw_margin

from arena.ratings.settings import RatingSettings
from arena.scoring import GameScore, ScoredSeat

_FAR, _TERMS = 5.0, 30
"""From this many deviations on, this many terms of the continued fraction of Mills' ratio give all digits."""

_MAX_EXPONENT = 700.0  # exp() of more overflows


@dataclass(frozen=True, slots=True)
class Rating:
    """The estimated strength of an engine, as a normal distribution, after a number of rated games."""

    mu: float
    sigma: float
    games: int

    @property
    def conservative(self) -> float:
        """A strength that the engine almost surely exceeds: mu - 3 sigma. Tables are sorted by it."""
        return self.mu - 3 * self.sigma


def rate(
    games: Iterable[Sequence[ScoredSeat]],
    settings: RatingSettings,
    earlier: Mapping[str, Rating] | None = None,
) -> dict[str, Rating]:
    """Rate engines by games in schedule order, on which ratings depend; ``earlier`` has those before them."""
    model = Model(settings)
    for name, rating in (earlier or {}).items():
        model.beliefs[name] = rating.mu, rating.sigma
        model.games[name] = rating.games
    for seats in games:
        if settings.rates(seats):
            model.update(seats)
    return {name: Rating(mu, sigma, model.games[name]) for name, (mu, sigma) in model.beliefs.items()}


class Model:
    """The ratings between two games: mean and deviation, and the number of rated games, of each engine."""

    def __init__(self, settings: RatingSettings) -> None:
        self.beliefs: dict[str, tuple[float, float]] = {}
        self.games: dict[str, int] = {}
        self._start = (settings.mu, settings.sigma)
        self._quick = _library(TrueSkill, settings)
        self._margin = float(calc_draw_margin(settings.draw_probability, 2, self._quick))
        self._settings = settings

    def copy(self) -> Model:
        """Return an independent copy, with the ratings after the same games."""
        copy = Model(self._settings)
        copy.beliefs = dict(self.beliefs)
        copy.games = dict(self.games)
        return copy

    def update(self, players: Sequence[ScoredSeat]) -> None:
        """Rate one game."""
        try:
            rated = self._rated_pair(*players) if len(players) == 2 else self._rated(self._quick, players)
        except FloatingPointError:  # the upset is too great for the approximations
            rated = self._rated(_library(_Exact, self._settings), players)
        for player, belief in zip(players, rated, strict=True):
            self.beliefs[player.name] = belief
            self.games[player.name] = self.games.get(player.name, 0) + 1

    def _rated_pair(self, one: ScoredSeat, two: ScoredSeat) -> list[tuple[float, float]]:
        """Rate a game for two with the formulas of the factor graph: 5 µs; the library's graph takes 120.

        Source: Herbrich, Minka, Graepel, TrueSkill, 2007, section 2. The library's w of a win would compute v
        again. A `FloatingPointError` says that the approximations are not exact enough.
        """
        if _rank(one) > _rank(two):
            return self._rated_pair(two, one)[::-1]
        settings, library = self._settings, self._quick
        mu_one, sigma_one = self.beliefs.get(one.name, self._start)
        mu_two, sigma_two = self.beliefs.get(two.name, self._start)
        variance_one = sigma_one**2 + settings.tau**2
        variance_two = sigma_two**2 + settings.tau**2
        total = variance_one + variance_two + 2 * settings.beta**2
        scale = sqrt(total)
        gap, margin = (mu_one - mu_two) / scale, self._margin / scale
        if _rank(one) == _rank(two):
            v, w = library.v_draw(gap, margin), library.w_draw(gap, margin)
        else:
            v = library.v_win(gap, margin)
            w = v * (v + (gap - margin))  # in this order, so that it is 0 where all digits are lost
            if not 0 < w < 1:
                raise FloatingPointError
        kept_one, kept_two = 1 - variance_one / total * w, 1 - variance_two / total * w
        if kept_one <= 0 or kept_two <= 0:
            raise FloatingPointError
        return [
            (mu_one + variance_one / scale * v, sqrt(variance_one * kept_one)),
            (mu_two - variance_two / scale * v, sqrt(variance_two * kept_two)),
        ]

    def _rated(self, environment: Any, players: Sequence[ScoredSeat]) -> list[tuple[float, float]]:  # noqa: ANN401 - as below
        groups = [
            (environment.create_rating(*self.beliefs.get(player.name, self._start)),) for player in players
        ]
        rated = environment.rate(groups, ranks=[_rank(player) for player in players])
        return [(float(rating.mu), float(rating.sigma)) for (rating,) in rated]


def _library(model: type[TrueSkill], settings: RatingSettings) -> Any:  # noqa: ANN401 - the library has no types
    """A model of the library with these settings. The library's global model stays unchanged."""
    return model(
        mu=settings.mu,
        sigma=settings.sigma,
        beta=settings.beta,
        tau=settings.tau,
        draw_probability=settings.draw_probability,
    )


class _Exact(TrueSkill):  # type: ignore[misc]  # the library has no types
    """The model with exact moments of truncated normal distributions.

    The library takes them from differences of small probabilities, which lose all digits in an upset. Here
    the density cancels, and Mills' ratio remains. v is the mean of the truncated distribution, 1 - w its
    variance (Herbrich, Minka, Graepel 2007, section 2).
    """

    def v_win(self, gap: float, margin: float) -> float:
        return 1 / _mills_ratio(margin - gap)

    def w_win(self, gap: float, margin: float) -> float:
        v = self.v_win(gap, margin)
        return v * (v + (gap - margin))

    def v_draw(self, gap: float, margin: float) -> float:
        return copysign(_moments_between(abs(gap), margin)[0], -gap)

    def w_draw(self, gap: float, margin: float) -> float:
        return _moments_between(abs(gap), margin)[1]


def _mills_ratio(z: float) -> float:
    """The probability beyond z over the density at z, of the normal distribution."""
    if z <= _FAR:
        return sqrt(pi / 2) * exp(min(z * z / 2, _MAX_EXPONENT)) * erfc(z / sqrt(2))
    fraction = z
    for numerator in range(_TERMS, 0, -1):
        fraction = z + numerator / fraction
    return 1 / fraction


def _moments_between(gap: float, margin: float) -> tuple[float, float]:
    """The mean, and 1 - the variance, of the normal distribution from gap - margin to gap + margin."""
    near, far = gap - margin, gap + margin
    fading = exp(-2 * gap * margin)  # the density at the far end over the one at the near end
    mass = _mills_ratio(near) - fading * _mills_ratio(far)
    mean = -expm1(-2 * gap * margin) / mass
    return mean, mean**2 - (near - fading * far) / mass


def _rank(player: ScoredSeat) -> int:
    assert player.rank is not None, "only a void game has no ranks"
    return player.rank


MAX_SAMPLES = 200
"""The largest number of samples."""


@dataclass(frozen=True, slots=True)
class RatingSample:
    """The ratings after some of the games, by the names of the engines that have played."""

    games: int
    ratings: dict[str, Rating]

    def conservative(self) -> dict[str, float]:
        """Return what orders the engines."""
        return {name: rating.conservative for name, rating in self.ratings.items()}


def history(games: Sequence[GameScore], model: RatingSettings) -> list[RatingSample]:
    """The ratings after every few games in schedule order. The last sample is after the last game."""
    step = max(-(-len(games) // MAX_SAMPLES), 1)
    samples = []
    ratings: dict[str, Rating] = {}
    for first in range(0, len(games), step):
        batch = games[first : first + step]
        ratings = rate(batch, model, ratings)
        samples.append(RatingSample(first + len(batch), ratings))
    return samples
