"""How a rating list is set: texts as people write them and the database keeps them."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isfinite
from typing import Any, Final, Self

from arena.errors import ArenaError
from arena.ratings.settings import DRAW_PRIOR_LIMITS, RatingSettings, draw_prior
from arena.scoring import GameScore, GameScoreCounts

__all__ = ["KEYS", "Anchor", "ListSettings", "changed"]

KEYS: Final = ("mu", "sigma", "beta", "tau", "draw_probability", "forfeits", "anchor")
"""What can be set."""

_USUAL = RatingSettings()

_PRIOR_WEIGHT = 20
"""For how many games a game's own draw prior stands, beside those that were played."""

_MOST_ELO = 1_000_000


@dataclass(frozen=True, slots=True)
class Anchor:
    """An engine whose Elo is taken as given, so that all others are seen from it.

    Attributes:
        name: the engine.
        elo: its Elo.
    """

    name: str
    elo: float

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``NAME=VALUE``.

        Raises:
            ArenaError: it is none.
        """
        name, equals, value = text.rpartition("=")
        if not equals or not name:
            raise ArenaError(f"anchor {text!a}: write NAME=VALUE, as in stockfish=3000")
        elo = _number("anchor", value)
        if abs(elo) > _MOST_ELO:
            raise ArenaError(f"anchor {text!a}: the Elo must lie between -{_MOST_ELO} and {_MOST_ELO}")
        return cls(name, elo)

    def __str__(self) -> str:
        return f"{self.name}={self.elo:g}"


@dataclass(frozen=True, slots=True)
class ListSettings:
    """What one rating list goes by.

    Attributes:
        model: the parameters; its draw probability holds only where it is not estimated.
        estimated: whether the draw probability is taken from the games.
        anchor: for the Elo of the fit; None for a mean of 0.
    """

    model: RatingSettings = _USUAL
    estimated: bool = True
    anchor: Anchor | None = None

    @staticmethod
    def of(told: Mapping[str, str]) -> ListSettings:
        """Read texts by the names in `KEYS`; what isn't told is as usual.

        Raises:
            ArenaError: a key that there isn't, or a value that can't be; the message names the key.
        """
        settings = ListSettings()
        for key, text in told.items():
            if key not in KEYS:
                near = difflib.get_close_matches(key, KEYS, n=1)
                hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(KEYS)}"
                raise ArenaError(f"ratings have no setting {key!a}; {hint}")
            try:
                settings = _READERS.get(key, _parameter)(settings, key, text)
            except ValueError as error:
                raise ArenaError(f"{key} = {text}: {error}") from None
        return settings

    def model_for(self, game: str, tally: GameScoreCounts) -> RatingSettings:
        """The parameters for a game's list, given all its games that count."""
        if not self.estimated:
            return self.model
        return replace(self.model, draw_probability=_estimate(draw_prior(game), tally, self.model))


def changed(told: Mapping[str, str], changes: Iterable[str]) -> dict[str, str]:
    """What a list is told after some ``KEY=VALUE``; the value ``default`` sets a key back.

    Raises:
        ArenaError: a change that can't be; the message names the key.
    """
    result = dict(told)
    for change in changes:
        key, equals, value = change.partition("=")
        if not equals:
            raise ArenaError(f"setting {change!a}: write KEY=VALUE, as in beta=4, or KEY=default")
        if value == "default" and key in KEYS:
            result.pop(key, None)
        else:
            ListSettings.of({key: value})
            result[key] = value
    return result


def _estimate(prior: float, tally: GameScoreCounts, model: RatingSettings) -> float:
    """The share of neighbours in the ranking that tied, in steps.

    In steps, as a number that changed with every game would make all earlier ratings void with every game.
    """
    neighbours = tied = 0
    for outcome, count in tally.items():
        if model.rates(outcome):
            neighbours += count * (len(outcome) - 1)
            tied += count * _ties(outcome)
    share = (tied + _PRIOR_WEIGHT * prior) / (neighbours + _PRIOR_WEIGHT)
    low, high = DRAW_PRIOR_LIMITS
    step = round(share * 20) / 20 if share > 0.1 else float(f"{share:.1g}")
    return min(max(step, low), high)


def _ties(outcome: GameScore) -> int:
    return sum(one == other for one, other in pairwise(sorted(share.rank for share in outcome)))


def _number(key: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise ArenaError(f"{key} = {text}: this must be a number")
    return value


def _parameter(settings: ListSettings, key: str, text: str) -> ListSettings:
    value: Any = _number(key, text)
    return replace(settings, model=replace(settings.model, **{key: value}))


def _draws(settings: ListSettings, key: str, text: str) -> ListSettings:
    if text == "estimate":
        return replace(settings, estimated=True)
    return replace(_parameter(settings, key, text), estimated=False)


def _forfeits(settings: ListSettings, _: str, text: str) -> ListSettings:
    if text not in {"lose", "skip"}:
        raise ValueError("this must be `lose` (the default: a forfeit is a loss) or `skip` (not rated)")
    return replace(settings, model=replace(settings.model, forfeits=text == "lose"))


def _anchor(settings: ListSettings, _: str, text: str) -> ListSettings:
    return replace(settings, anchor=Anchor.parse(text))


_READERS: Final[dict[str, Callable[[ListSettings, str, str], ListSettings]]] = {
    "draw_probability": _draws,
    "forfeits": _forfeits,
    "anchor": _anchor,
}
