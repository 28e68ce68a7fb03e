"""TrueSkill over a list of results.

A game of two, the usual case, needs no message passing: its update is a closed formula, computed here
directly and many times faster than by a factor graph. Larger games go through the graph of the `trueskill`
library, but with our own functions for the moments: the library's are inexact for rare draws and give up on
great upsets.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any, Final

from arena.model import PlayerRecord, Result
from arena.ratings import gaussian
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
    return {
        name: Rating(name, mu, math.sqrt(variance), model.games[name])
        for name, (mu, variance) in model.beliefs.items()
    }


def is_rated(result: Result) -> bool:
    """Whether ratings take notice of a game."""
    names = {player.name for player in result.players}
    return result.termination not in _UNRATED and len(names) == len(result.players)


@dataclass(slots=True)
class _Model:
    """The state between two games: everybody's mean and variance."""

    settings: RatingSettings
    beliefs: dict[str, tuple[float, float]] = field(default_factory=dict)
    games: dict[str, int] = field(default_factory=dict)
    margin: float = field(init=False)
    start: tuple[float, float] = field(init=False)
    environment: Any = None  # made when a larger game comes

    def __post_init__(self) -> None:
        self.margin = gaussian.margin(self.settings.draw_probability, self.settings.beta)
        self.start = (self.settings.mu, self.settings.sigma**2)

    def update(self, players: Sequence[PlayerRecord]) -> None:
        """Learn from one game; in the order of ranks and seats, as larger games depend on it a little."""
        order = sorted(players, key=_rank)
        for player in order:
            self.games[player.name] = self.games.get(player.name, 0) + 1
        if len(order) == 2:
            self._duel(*order)
        else:
            self._table(order)

    def _duel(self, one: PlayerRecord, other: PlayerRecord) -> None:
        """``one`` won, or it was a draw."""
        drift = self.settings.tau**2
        mu, variance = self.beliefs.get(one.name, self.start)
        other_mu, other_variance = self.beliefs.get(other.name, self.start)
        variance += drift
        other_variance += drift
        total = variance + other_variance + 2 * self.settings.beta**2
        scale = math.sqrt(total)
        moments = gaussian.draw if one.rank == other.rank else gaussian.win
        v, w = moments((mu - other_mu) / scale, self.margin / scale)
        self.beliefs[one.name] = mu + variance / scale * v, variance * (1 - w * variance / total)
        self.beliefs[other.name] = (
            other_mu - other_variance / scale * v,
            other_variance * (1 - w * other_variance / total),
        )

    def _table(self, order: Sequence[PlayerRecord]) -> None:
        environment = self.environment = self.environment or _environment(self.settings)
        groups = []
        for player in order:
            mu, variance = self.beliefs.get(player.name, self.start)
            groups.append((environment.create_rating(mu, math.sqrt(variance)),))
        rated = environment.rate(groups, ranks=[_rank(player) for player in order])
        for player, (rating,) in zip(order, rated, strict=True):
            self.beliefs[player.name] = rating.mu, rating.sigma**2


def _environment(settings: RatingSettings) -> Any:  # noqa: ANN401 - the library has no types
    """The library's model, one of our own: its global one belongs to nobody."""
    from trueskill import TrueSkill

    normal = NormalDist()
    environment = TrueSkill(
        mu=settings.mu,
        sigma=settings.sigma,
        beta=settings.beta,
        tau=settings.tau,
        draw_probability=settings.draw_probability,
        backend=(normal.cdf, normal.pdf, normal.inv_cdf),
    )
    environment.v_win = lambda t, e: gaussian.win(t, e)[0]
    environment.w_win = lambda t, e: gaussian.win(t, e)[1]
    environment.v_draw = lambda t, e: gaussian.draw(t, e)[0]
    environment.w_draw = lambda t, e: gaussian.draw(t, e)[1]
    return environment


def _rank(player: PlayerRecord) -> int:
    assert player.rank is not None, "only a void game has no ranks"
    return player.rank
