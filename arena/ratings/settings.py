"""What TrueSkill assumes before it has seen a game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from referee import UnknownGame, game
from referee.errors import BrokenPlugin

__all__ = ["DRAW_PRIOR_LIMITS", "RatingSettings", "settings_for"]

DRAW_PRIOR_LIMITS: Final = (1e-3, 0.95)
"""Outside of these a single game can move a rating absurdly far: so rare an event proves too much."""

_USUAL_DRAW_PRIOR = 0.1


@dataclass(frozen=True, slots=True)
class RatingSettings:
    """The model's parameters; mu, sigma and beta are those of its authors (Herbrich, Minka, Graepel 2007).

    Attributes:
        mu: everybody's rating at first.
        sigma: its uncertainty at first, a standard deviation.
        beta: a standard deviation too: how much one game's performance varies. Who is better by beta wins
            about 76 games of 100.
        tau: what is added to sigma before every game, for players who change. Engines don't.
        draw_probability: the share of draws between equals.

    Raises:
        ValueError: a deviation is not positive, tau is negative, or the draws are out of `DRAW_PRIOR_LIMITS`.
    """

    mu: float = 25.0
    sigma: float = 25.0 / 3
    beta: float = 25.0 / 6
    tau: float = 0.0
    draw_probability: float = _USUAL_DRAW_PRIOR

    def __post_init__(self) -> None:
        if self.sigma <= 0 or self.beta <= 0 or self.tau < 0:
            raise ValueError("sigma and beta must be positive, and tau not negative")
        low, high = DRAW_PRIOR_LIMITS
        if not low <= self.draw_probability <= high:
            raise ValueError(f"the draw probability must lie between {low} and {high}")


def settings_for(game_id: str) -> RatingSettings:
    """The settings for a game: its own draw prior, or a usual one when its plug-in cannot be had any more."""
    try:
        prior = game(game_id).info.draw_prior
    except (UnknownGame, BrokenPlugin):
        prior = _USUAL_DRAW_PRIOR
    low, high = DRAW_PRIOR_LIMITS
    return RatingSettings(draw_probability=min(max(prior, low), high))
