"""About where a person stands among the levels of a game, from few games."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from math import exp, log
from typing import Final

from arena.ratings import CONFIDENCE
from arena.strength.interval import expected_score
from arena.strength.levels import Scale

GAMES_NEEDED: Final = 5
"""The games after which something is said."""

_BEYOND: Final = 500
"""How far below and above the levels a person may stand, in Elo."""

_STEP: Final = 20  # Elo


@dataclass(frozen=True, slots=True)
class PersonPlace:
    """Where a person stands on the scale of the levels: an estimate, and a 95 % interval."""

    elo: int
    low: int
    high: int
    nearest: int  # the level
    next: int  # the lowest level that is stronger, else the highest one


def person_place(scale: Scale, games: Counter[tuple[int, float]]) -> PersonPlace | None:
    """Return where a person stands, from how many games of each level, from 1, gave these points.

    None stands for too few games. Before the games each strength is equally likely, from 500 Elo below the
    first level to 500 above the last one. The estimate is the mean after the games. A draw counts as half a
    win and half a loss.
    """
    if games.total() < GAMES_NEEDED:
        return None
    strengths = range(int(scale.elo[0]) - _BEYOND, int(scale.elo[-1]) + _BEYOND + 1, _STEP)

    def likelihood(strength: int) -> float:
        total = 0.0
        for (level, points), number in games.items():
            score = expected_score(strength - scale.elo[level - 1], scale.draws)
            total += number * (points * log(score) + (1 - points) * log(1 - score))
        return total

    logs = [likelihood(strength) for strength in strengths]
    weights = [exp(value - max(logs)) for value in logs]
    total = sum(weights)
    elo = sum(strength * weight for strength, weight in zip(strengths, weights, strict=True)) / total
    below = [weight / total for weight in accumulate(weights)]
    tail = (1 - CONFIDENCE) / 2
    low = next(strength for strength, share in zip(strengths, below, strict=True) if share >= tail)
    high = next(strength for strength, share in zip(strengths, below, strict=True) if share >= 1 - tail)
    levels = range(1, len(scale.elo) + 1)
    nearest = min(levels, key=lambda level: abs(scale.elo[level - 1] - elo))
    harder = next((level for level in levels if scale.elo[level - 1] > elo), levels[-1])
    return PersonPlace(round(elo), low, high, nearest, harder)
