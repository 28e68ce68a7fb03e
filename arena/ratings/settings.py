"""The parameters of TrueSkill, and the choice of the games that are rated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arena.ended_games import ScoredSeat, was_played
from referee import UnknownGame, game
from referee.errors import BrokenPlugin

__all__ = ["DRAW_PRIOR_LIMITS", "RatingSettings", "draw_prior", "settings_for"]

DRAW_PRIOR_LIMITS: Final = (1e-3, 0.95)
"""Limits of the draw probability. Outside them, one very unlikely result changes a rating too much."""

_DEVIATION_LIMITS: Final = (1e-3, 1e6)
"""Limits of sigma and beta. Far outside them the arithmetic overflows."""

_DEFAULT_DRAW_PRIOR = 0.1


@dataclass(frozen=True, slots=True)
class RatingSettings:
    """The parameters of TrueSkill.

    The defaults of mu, sigma and beta are those of its authors (Herbrich, Minka, Graepel 2007).

    Attributes:
        mu: the initial rating of each engine.
        sigma: the initial uncertainty of a rating, as a standard deviation.
        beta: the standard deviation of the performance in one game. An engine that is stronger by beta wins
            about 76 games of 100.
        tau: the uncertainty that is added before every game, for players whose strength changes. The strength
            of an engine does not change, so the default is 0.
        draw_probability: the probability of a draw between two equal engines.
        forfeits: whether forfeited games are rated.

    Raises:
        ValueError: a parameter is outside its limits. The message has the limits.
    """

    mu: float = 25.0
    sigma: float = 25.0 / 3
    beta: float = 25.0 / 6
    tau: float = 0.0
    draw_probability: float = _DEFAULT_DRAW_PRIOR
    forfeits: bool = True

    def __post_init__(self) -> None:
        low, high = _DEVIATION_LIMITS
        if not (low <= self.sigma <= high and low <= self.beta <= high):
            raise ValueError(f"sigma and beta must lie between {low:g} and {high:.0f}")
        if not (0 <= self.tau <= high and abs(self.mu) <= high):
            raise ValueError(f"mu must lie between -{high:.0f} and {high:.0f}, tau between 0 and {high:.0f}")
        low, high = DRAW_PRIOR_LIMITS
        if not low <= self.draw_probability <= high:
            raise ValueError(f"the draw probability must lie between {low} and {high}")

    def rates(self, seats: Sequence[ScoredSeat]) -> bool:
        """Whether a game that counts is rated.

        A forfeit is rated as a loss, unless `forfeits` is False. Two kinds of games are never rated: games
        that were not played because an engine was disabled, and games of an engine against itself. They say
        nothing about strength.
        """
        if len({seat.name for seat in seats}) < len(seats):
            return False
        if not was_played(seats):
            return False
        return self.forfeits or not any(
            seat.forfeit is not None and seat.forfeit.is_forfeit for seat in seats
        )


def draw_prior(game_id: str) -> float:
    """The draw prior of a game, or the default one if its plug-in is missing or broken."""
    try:
        return game(game_id).info.draw_prior
    except (UnknownGame, BrokenPlugin):
        return _DEFAULT_DRAW_PRIOR


def settings_for(game_id: str) -> RatingSettings:
    """The default settings for a game."""
    low, high = DRAW_PRIOR_LIMITS
    return RatingSettings(draw_probability=min(max(draw_prior(game_id), low), high))
