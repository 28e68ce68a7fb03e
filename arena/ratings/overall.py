"""One rating over several games: a fit to all of them, in which each game has the same weight.

An engine has one strength in all games; each game has its own seats and draws. The log-likelihood of a game's
results has a weight, so that a game with many results counts as much as one with few. An engine may be better
in one game than in another, so no strength describes all results exactly. The fit has the strengths that
describe them best (Kullback and Leibler), and its errors do not assume that these describe them exactly: they
are from the errors of a fit to each game alone (H. White, Maximum Likelihood Estimation of Misspecified
Models, Econometrica 50, 1982).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from arena.errors import ArenaError
from arena.ratings.fit import Peak, Strength, maximum, names_in, peak, prior_of, ranked
from arena.ratings.likelihood import Choices, Numbers
from arena.scoring import GameScoreCounts


@dataclass(frozen=True, slots=True)
class OverallStrength:
    """The strength of an engine over all games, and in each game, the worst one first."""

    together: Strength
    by_game: tuple[tuple[str, Strength], ...]


@dataclass(frozen=True, slots=True)
class Overall:
    """The strengths, the best first, and the number of games of each id that they are from."""

    strengths: tuple[OverallStrength, ...]
    games: dict[str, int]


@dataclass(frozen=True, slots=True)
class RatedGames:
    """The rated games of one id, and the same in ``clusters`` as for `arena.ratings.fit.fit`."""

    counts: GameScoreCounts
    clusters: Sequence[GameScoreCounts] = ()

    def among(self, names: set[str]) -> RatedGames:
        """Return the games in which all seats have these names."""
        return RatedGames(_among(self.counts, names), [_among(cluster, names) for cluster in self.clusters])


class _Together:
    """The weighted log-likelihood of several games, by strengths and then the seats and ties of each game."""

    def __init__(self, games: Sequence[Choices], weights: Sequence[float], engines: int) -> None:
        self._games = games
        self._weights = weights
        self.places = []  # of the parameters of each game
        self.size = engines
        for choices in games:
            others = choices.size - engines
            self.places.append(np.r_[:engines, self.size : self.size + others])
            self.size += others

    def likelihood(self, parameters: Numbers) -> float:
        parts = zip(self._games, self._weights, self.places, strict=True)
        return sum(weight * choices.likelihood(parameters[places]) for choices, weight, places in parts)

    def derivatives(self, parameters: Numbers) -> tuple[float, Numbers, Numbers]:
        total, gradient, information = 0.0, np.zeros(self.size), np.zeros((self.size, self.size))
        for choices, weight, places in zip(self._games, self._weights, self.places, strict=True):
            value, slope, curvature = choices.derivatives(parameters[places])
            total += weight * value
            gradient[places] += weight * slope
            information[np.ix_(places, places)] += weight * curvature
        return total, gradient, information

    def covariance(self, information: Numbers, peaks: Sequence[Peak]) -> Numbers:
        """Return the covariance of the most likely parameters, where the information matrix is this one."""
        noise = np.zeros((self.size, self.size))
        for one, weight, places in zip(peaks, self._weights, self.places, strict=True):
            # The covariance of the gradient of this game's log-likelihood.
            of_game = one.information @ one.covariance @ one.information
            noise[np.ix_(places, places)] += weight**2 * of_game
        inverse = np.linalg.inv(information)
        result: Numbers = inverse @ noise @ inverse
        return result


def overall(games: Mapping[str, RatedGames]) -> Overall:
    """Rate the engines that played all games, from the games among them.

    ArenaError: there are fewer than two games, or no two engines that played all of them.
    """
    ids = list(games)
    if len(ids) < 2:
        there = f"is only {ids[0]}" if ids else "are none"
        raise ArenaError(f"one rating over several games needs rated games of two ids; there {there}")
    games = _of_engines_in_all(games)
    counts = [games[id_].counts for id_ in ids]
    names = names_in(counts[0])
    if not names:
        raise ArenaError(f"no two engines have played each of {', '.join(ids)} among each other")
    choices = [Choices(of_game, names) for of_game in counts]
    peaks = [
        peak(of_game, names, [*filter(None, rated.clusters)])
        for of_game, rated in zip(choices, games.values(), strict=True)
    ]
    totals = [of_game.total() for of_game in counts]
    together = _Together(choices, [sum(totals) / len(totals) / total for total in totals], len(names))
    priors = [prior_of(of_game) for of_game in choices]
    prior = np.concatenate([priors[0][: len(names)], *(of_game[len(names) :] for of_game in priors)])
    parameters, information = maximum(together, prior, np.zeros(together.size))
    in_games = [
        {strength.name: (id_, strength) for strength in ranked(names, one.parameters, one.covariance)}
        for id_, one in zip(ids, peaks, strict=True)
    ]
    strengths = []
    for strength in ranked(names, parameters, together.covariance(information, peaks)):
        by_game = sorted((of[strength.name] for of in in_games), key=lambda of_game: of_game[1].elo)
        strengths.append(OverallStrength(strength, tuple(by_game)))
    return Overall(tuple(strengths), dict(zip(ids, totals, strict=True)))


def _of_engines_in_all(games: Mapping[str, RatedGames]) -> Mapping[str, RatedGames]:
    """Keep the games of engines that have such games of each id."""
    while True:
        names = set.intersection(*(set(names_in(rated.counts)) for rated in games.values()))
        if all(names.issuperset(names_in(rated.counts)) for rated in games.values()):
            return games
        games = {id_: rated.among(names) for id_, rated in games.items()}


def _among(counts: GameScoreCounts, names: set[str]) -> GameScoreCounts:
    return Counter(
        {score: count for score, count in counts.items() if all(seat.name in names for seat in score)}
    )
