"""What TrueSkill assumes before it has seen a game, and which games it sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arena.scoring import ScoredSeat
from referee import UnknownGame, game
from referee.errors import BrokenPlugin
from referee.outcome import Termination

__all__ = ["DRAW_PRIOR_LIMITS", "RatingSettings", "draw_prior", "settings_for"]

DRAW_PRIOR_LIMITS: Final = (1e-3, 0.95)
"""Outside of these a single game can move a rating absurdly far: so rare an event proves too much."""

_DEVIATION_LIMITS: Final = (1e-3, 1e6)
"""Of sigma and beta: far beyond, the arithmetic overflows."""

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
        forfeits: whether games are rated that somebody lost by misbehaving.

    Raises:
        ValueError: a number with which nothing can be computed; the message has the limits.
    """

    mu: float = 25.0
    sigma: float = 25.0 / 3
    beta: float = 25.0 / 6
    tau: float = 0.0
    draw_probability: float = _USUAL_DRAW_PRIOR
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

        Lost by forfeit is lost, unless the settings leave such games out. Not rated are games that were not
        played as an engine was disabled: they say nothing about the strength of either. Neither are games in
        which an engine played against itself.
        """
        if len({seat.name for seat in seats}) < len(seats):
            return False
        out = {seat.forfeit for seat in seats} - {None}
        if Termination.DISABLED in out:
            return False
        return self.forfeits or not any(forfeit is not None and forfeit.is_forfeit for forfeit in out)


def draw_prior(game_id: str) -> float:
    """A game's own share of draws between equals, or a usual one when its plug-in cannot be had any more."""
    try:
        return game(game_id).info.draw_prior
    except (UnknownGame, BrokenPlugin):
        return _USUAL_DRAW_PRIOR


def settings_for(game_id: str) -> RatingSettings:
    """The settings for a game by its rules alone."""
    low, high = DRAW_PRIOR_LIMITS
    return RatingSettings(draw_probability=min(max(draw_prior(game_id), low), high))
