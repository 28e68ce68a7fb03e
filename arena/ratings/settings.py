"""The settings of a rating list: the parameters of TrueSkill, the games that are rated, and the anchor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isfinite
from typing import Final, Self

from arena.errors import ArenaError
from arena.scoring import GameScoreCounts, ScoredSeat, was_played
from protocol.words import did_you_mean
from referee import UnknownGame, game
from referee.errors import BrokenPlugin

DRAW_PRIOR_LIMITS: Final = (1e-3, 0.95)
"""Limits of the draw probability. Outside them, one very unlikely result changes a rating too much."""

_DEFAULT_DRAW_PRIOR = 0.1


@dataclass(frozen=True, slots=True)
class RatingSettings:
    """The parameters of TrueSkill; its authors' mu, sigma and beta (Herbrich, Minka, Graepel 2007)."""

    mu: float = 25.0
    sigma: float = 25.0 / 3
    beta: float = 25.0 / 6  # the deviation in one game: who is stronger by it wins about 76 of 100
    tau: float = 0.0  # what every game adds to the uncertainty; 0: strengths do not change
    draw_probability: float = _DEFAULT_DRAW_PRIOR  # between equal engines
    forfeits: bool = True  # whether forfeited games are rated

    def __post_init__(self) -> None:
        low, high = DRAW_PRIOR_LIMITS
        if not low <= self.draw_probability <= high:
            raise ValueError(f"the draw probability must lie between {low} and {high}")

    def rates(self, seats: Sequence[ScoredSeat]) -> bool:
        """Whether a game that counts is rated; never one without play, or of an engine against itself."""
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
    """The settings of a game before any of its games is known."""
    low, high = DRAW_PRIOR_LIMITS
    return RatingSettings(draw_probability=min(max(draw_prior(game_id), low), high))


KEYS: Final = ("draw_probability", "forfeits", "anchor")
"""The names of the settings."""

_DEFAULT = RatingSettings()

_PRIOR_WEIGHT = 20
"""The weight of the draw prior, in pairs of neighbours in rankings. A game of two players has one pair."""

_MAX_ELO = 1_000_000


@dataclass(frozen=True, slots=True)
class Anchor:
    """An engine with a given Elo. The Elo of all other engines is relative to it."""

    name: str
    elo: float

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``NAME=VALUE``; raise `ArenaError`."""
        name, equals, value = text.rpartition("=")
        if not equals or not name:
            raise ArenaError(f"anchor {text!a}: write NAME=VALUE, as in stockfish=3000")
        elo = _number("anchor", value)
        if abs(elo) > _MAX_ELO:
            raise ArenaError(f"anchor {text!a}: the Elo must lie between -{_MAX_ELO} and {_MAX_ELO}")
        return cls(name, elo)

    def __str__(self) -> str:
        return f"{self.name}={self.elo:g}"


@dataclass(frozen=True, slots=True)
class ListSettings:
    """The settings of one rating list."""

    model: RatingSettings = _DEFAULT  # its draw probability applies only if it is not estimated
    estimated: bool = True
    anchor: Anchor | None = None  # None for a mean Elo of 0

    @staticmethod
    def of(texts: Mapping[str, str]) -> ListSettings:
        """Read settings from texts by the names in `KEYS`; raise an `ArenaError` that names the setting."""
        settings = ListSettings()
        for key, text in texts.items():
            settings = settings.changed(key, text)
        return settings

    def changed(self, key: str, text: str) -> ListSettings:
        """Return the settings after a change of one; raise an `ArenaError` that names it."""
        match key:
            case "draw_probability" if text == "estimate":
                return replace(self, estimated=True)
            case "draw_probability":
                try:
                    model = replace(self.model, draw_probability=_number(key, text))
                except ValueError as error:
                    raise ArenaError(f"{key} = {text}: {error}") from None
                return replace(self, model=model, estimated=False)
            case "forfeits" if text in ("lose", "skip"):
                return replace(self, model=replace(self.model, forfeits=text == "lose"))
            case "forfeits":
                raise ArenaError(
                    f"{key} = {text}: this must be `lose` (the default: a forfeit is a loss) or `skip` (not"
                    " rated)"
                )
            case "anchor":
                return replace(self, anchor=Anchor.parse(text))
        near = did_you_mean(key, KEYS) or f"; the settings are {', '.join(KEYS)}"
        raise ArenaError(f"ratings have no setting {key!a}{near}")

    def model_for(self, game_id: str, games: GameScoreCounts) -> RatingSettings:
        """The parameters of TrueSkill for the list of a game; ``games`` are all its games that count."""
        if not self.estimated:
            return self.model
        return replace(self.model, draw_probability=_estimate(draw_prior(game_id), games, self.model))


def changed(texts: Mapping[str, str], changes: Iterable[str]) -> dict[str, str]:
    """Apply changes, each ``KEY=VALUE`` or ``KEY=default``, to the texts of a list's settings."""
    result = dict(texts)
    for change in changes:
        key, equals, value = change.partition("=")
        if not equals:
            raise ArenaError(f"setting {change!a}: write KEY=VALUE, as in forfeits=skip, or KEY=default")
        if value == "default" and key in KEYS:
            result.pop(key, None)
        else:
            ListSettings.of({key: value})
            result[key] = value
    return result


def _estimate(prior: float, games: GameScoreCounts, model: RatingSettings) -> float:
    """Estimate the draw probability: the share of neighbours in the rankings that tied.

    It is rounded to steps, because all games are rated again when the estimate changes.
    """
    neighbours = tied = 0
    for outcome, count in games.items():
        if model.rates(outcome):
            neighbours += count * (len(outcome) - 1)
            ranks = sorted(seat.rank for seat in outcome)
            tied += count * sum(rank == next_rank for rank, next_rank in pairwise(ranks))
    share = (tied + _PRIOR_WEIGHT * prior) / (neighbours + _PRIOR_WEIGHT)
    low, high = DRAW_PRIOR_LIMITS
    step = round(share * 20) / 20 if share > 0.1 else float(f"{share:.1g}")
    return min(max(step, low), high)


def _number(key: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise ArenaError(f"{key} = {text}: this must be a number")
    return value
