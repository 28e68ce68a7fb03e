"""TrueSkill over games in order: the `trueskill` library, behind types, with its edges taken off.

Its quick backend is used, and the exact one (``mpmath``) for an update at which the quick one gives up. Both
are wrong or fail for draws that are too rare, so `RatingSettings` keeps the share of draws within bounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trueskill import TrueSkill

from arena.ratings.settings import RatingSettings
from arena.scoring import ScoredSeat

__all__ = ["Model", "Rating", "rate"]

_DIGITS = 60
"""Of exact numbers: upsets take away twice as many as the gap has, so usual 15 end at a gap of 1000 beta."""


@dataclass(frozen=True, slots=True)
class Rating:
    """What is believed of an engine's strength: a normal distribution.

    Attributes:
        mu: its mean.
        sigma: its standard deviation.
        games: how many games it rests on.
    """

    mu: float
    sigma: float
    games: int

    @property
    def conservative(self) -> float:
        """The strength that the engine almost surely has, mu - 3 sigma: what tables are sorted by."""
        return self.mu - 3 * self.sigma


def rate(
    games: Iterable[Sequence[ScoredSeat]], settings: RatingSettings, known: Mapping[str, Rating] | None = None
) -> dict[str, Rating]:
    """Rate everybody who has a rated game.

    The order matters, and must not be the order in which games happened to end.

    Args:
        games: of one game id, those that count, in schedule order.
        settings: of the model; they also say which games are rated.
        known: the ratings after all games before these, by the same settings.
    """
    model = Model(settings)
    for name, rating in (known or {}).items():
        model.beliefs[name] = rating.mu, rating.sigma
        model.games[name] = rating.games
    for seats in games:
        if settings.rates(seats):
            model.update(seats)
    return {name: Rating(mu, sigma, model.games[name]) for name, (mu, sigma) in model.beliefs.items()}


class Model:
    """The state between two games.

    Attributes:
        beliefs: mean and deviation of everybody who has a rated game.
        games: how many each has.
    """

    def __init__(self, settings: RatingSettings) -> None:
        self.beliefs: dict[str, tuple[float, float]] = {}
        self.games: dict[str, int] = {}
        self._start = (settings.mu, settings.sigma)
        self._quick = _environment(settings, None)
        self._settings = settings

    def copy(self) -> Model:
        """Another one that knows the same games."""
        other = Model(self._settings)
        other.beliefs = dict(self.beliefs)
        other.games = dict(self.games)
        return other

    def update(self, players: Sequence[ScoredSeat]) -> None:
        """Learn from one game."""
        try:
            rated = self._rated(self._quick, players)
        except FloatingPointError:  # a great upset is beyond the quick numerics
            rated = self._rated(_exact(self._settings), players)
        for player, belief in zip(players, rated, strict=True):
            self.beliefs[player.name] = belief
            self.games[player.name] = self.games.get(player.name, 0) + 1

    def _rated(self, environment: Any, players: Sequence[ScoredSeat]) -> list[tuple[float, float]]:  # noqa: ANN401 - as below
        groups = [
            (environment.create_rating(*self.beliefs.get(player.name, self._start)),) for player in players
        ]
        rated = environment.rate(groups, ranks=[_rank(player) for player in players])
        return [(float(rating.mu), float(rating.sigma)) for (rating,) in rated]


def _environment(settings: RatingSettings, backend: str | None) -> Any:  # noqa: ANN401 - the library has no types
    """The library's model, one of our own: its global one belongs to nobody."""
    return TrueSkill(
        mu=settings.mu,
        sigma=settings.sigma,
        beta=settings.beta,
        tau=settings.tau,
        draw_probability=settings.draw_probability,
        backend=backend,
    )


def _exact(settings: RatingSettings) -> Any:  # noqa: ANN401 - as above
    """The same with numbers of many digits, which takes twenty times as long."""
    import mpmath

    mpmath.mp.dps = _DIGITS  # for good: all threads have one precision, and two may rate at once
    return _environment(settings, "mpmath")


def _rank(player: ScoredSeat) -> int:
    assert player.rank is not None, "only a void game has no ranks"
    return player.rank
