"""Errors of strengths by bootstrap: fit again and again to samples of the games.

The samples consist of whole groups: the games of the same engines on one opening. These games are not
independent, and the errors that follow from the curvature of the likelihood ignore this dependence (Davison
and Hinkley: Bootstrap Methods and Their Application, 1997).
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import stdev

from arena.confidence import DEVIATIONS
from arena.ended_games import GameScoreCounts
from arena.ratings.elo.fit import fit
from arena.ratings.settings import RatingSettings
from arena.ratings.settings_text import Anchor

__all__ = ["bootstrap_errors"]


def bootstrap_errors(
    groups: Sequence[GameScoreCounts], settings: RatingSettings, anchor: Anchor | None, samples: int
) -> dict[str, float]:
    """Return half of the 95 % interval of each engine's Elo. The same games always give the same errors.

    Args:
        groups: the games in groups, in any order.
        settings: they decide which games are rated.
        anchor: an engine with a given Elo; None for a mean of 0.
        samples: the number of samples, at least 2.

    Returns:
        The errors by name. An engine that is in fewer than two samples is missing.
    """
    rated = [
        {outcome: count for outcome, count in group.items() if settings.rates(outcome)} for group in groups
    ]
    ordered = sorted(filter(None, rated), key=lambda group: sorted(map(str, group.items())))
    chance = random.Random(1)
    found: defaultdict[str, list[float]] = defaultdict(list)
    for _ in range(samples):
        games: GameScoreCounts = Counter()
        for group in chance.choices(ordered, k=len(ordered)):
            games.update(group)
        names = {seat.name for outcome in games for seat in outcome}
        if anchor is not None and anchor.name not in names:
            continue
        fitted = fit(games, settings, anchor)
        for strength in () if fitted is None else fitted.strengths:
            found[strength.name].append(strength.elo)
    return {name: DEVIATIONS * stdev(values) for name, values in sorted(found.items()) if len(values) > 1}
