"""TrueSkill over a list of results: the `trueskill` library, behind types, with its edges taken off.

Its quick backend is used, and the exact one (``mpmath``) for an update at which the quick one gives up. Both
are wrong or fail for draws that are too rare, so `RatingSettings` keeps the share of draws within bounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from trueskill import TrueSkill

from arena.model import PlayerRecord, Result
from arena.ratings.settings import RatingSettings
from referee.outcome import Termination

__all__ = ["Rating", "rate"]

_UNRATED: Final = frozenset({Termination.VOID, Termination.DISABLED})


@dataclass(frozen=True, slots=True)
class Rating:
    """What is believed of an engine's strength: a normal distribution.

    Attributes:
        name: the engine.
        mu: its mean.
        sigma: its standard deviation.
        games: how many games it rests on.
    """

    name: str
    mu: float
    sigma: float
    games: int

    @property
    def conservative(self) -> float:
        """The strength that the engine almost surely has, mu - 3 sigma: what tables are sorted by."""
        return self.mu - 3 * self.sigma


def rate(results: Iterable[Result], settings: RatingSettings) -> dict[str, Rating]:
    """Rate everybody who has a rated game, by all results of one game id in schedule order.

    The order matters, and must not be the order in which games happened to end. Lost by forfeit is lost. Not
    rated are void games; games not played for a disabled engine, which say nothing about the strength of
    either; and games in which an engine played against itself.
    """
    model = _Model(settings)
    for result in results:
        if is_rated(result):
            model.update(result.players)
    return {name: Rating(name, mu, sigma, model.games[name]) for name, (mu, sigma) in model.beliefs.items()}


def is_rated(result: Result) -> bool:
    """Whether ratings take notice of a game."""
    names = {player.name for player in result.players}
    return result.termination not in _UNRATED and len(names) == len(result.players)


class _Model:
    """The state between two games: everybody's mean and deviation."""

    def __init__(self, settings: RatingSettings) -> None:
        self.beliefs: dict[str, tuple[float, float]] = {}
        self.games: dict[str, int] = {}
        self._start = (settings.mu, settings.sigma)
        self._quick = _environment(settings, None)
        self._settings = settings

    def update(self, players: Sequence[PlayerRecord]) -> None:
        """Learn from one game; in the order of ranks and seats, as larger games depend on it a little."""
        order = sorted(players, key=_rank)
        try:
            rated = self._rated(self._quick, order)
        except FloatingPointError:  # a great upset is beyond the quick numerics
            rated = self._rated(_environment(self._settings, "mpmath"), order)
        for player, belief in zip(order, rated, strict=True):
            self.beliefs[player.name] = belief
            self.games[player.name] = self.games.get(player.name, 0) + 1

    def _rated(self, environment: Any, order: Sequence[PlayerRecord]) -> list[tuple[float, float]]:  # noqa: ANN401 - as below
        groups = [
            (environment.create_rating(*self.beliefs.get(player.name, self._start)),) for player in order
        ]
        rated = environment.rate(groups, ranks=[_rank(player) for player in order])
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


def _rank(player: PlayerRecord) -> int:
    assert player.rank is not None, "only a void game has no ranks"
    return player.rank
