"""Check Elo's interval and LOS in matches of engines whose strengths are known. `intervals.py` runs it.

For up to 20 pairs (or 40 games) the figures are exact: every possible result of a match is weighted by its
probability. Longer matches, matches that a test stops, and matches that somebody watches are simulated.

A game is lost, drawn or won as in Davidson's model, and an opening may favour a seat. There are matches for
each share of draws in DRAWS, and matches of pairs also for each opening in OPENINGS. The strengths of the
engines are those in STRENGTHS, which show the worst cases, or they have a normal distribution. LOS is a
probability only if strengths have a distribution. Mirrored strengths give the same figures.
"""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from math import exp, lgamma, log, sqrt
from statistics import NormalDist, mean

import numpy as np

from arena.ratings import CONFIDENCE
from arena.ratings import match_elo as posterior
from arena.ratings.match_elo import (
    LEAST_WATCHED,
    EloEstimate,
    estimate,
    estimate_after_stop,
    score_is_at_most,
    watched_tail,
    with_prior,
)
from arena.ratings.sprt import Counts, Sprt, elo_of_score, llr, mean_and_variance, score_of_elo

STRENGTHS = (0, 30, 100, 200)
DEVIATIONS = (30, 60, 100, 140, 200)
"""Standard deviations of the strength of the first engine, in Elo, for the normal distributions."""

NODES = 32
"""The number of strengths, of equal probability, that stand for a half of a normal distribution."""

DRAWS = (0.1, 0.3, 0.5, 0.7, 0.9)
OPENINGS = (0, 200)
LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
NORMAL = NormalDist()

COVERAGE = """
## Matches

The list of engines has all combinations of strengths (0, ±30, ±100 and ±200 Elo) and of shares of draws
between equals (10, 30, 50, 70 and 90 %). For pairs of games it also combines these with openings, which
favour no seat, or one seat by 200 Elo. Up to 20 pairs or 40 games nothing is simulated: every possible
result of a match is weighed with its probability.

"Inside" is how often the interval contains the true Elo, on average over the list; the goal is 95 %.
"Least" is the worst line of the list. "Outside" is how often LOS is below 1 % or above 99 % for equal
engines; the goal is 2 %, and the figure in brackets is the worst line. "Usual" is the interval of 1.96
standard errors.
"""

LIKELIHOODS = """
## LOS in matches

LOS is a probability only if strengths have a distribution. Here the strengths have a normal distribution.
The first column is the standard deviation of the difference in strength, in Elo. A cell "86.4 %: 86.9 %"
means that LOS was 86.4 % on average, and that the engine with this LOS was the stronger one in 86.9 % of
the matches.
"""

OF_THE_LIST = """
The same for the engines of the list that are not equal, with LOS by the usual interval and by arena:
"""

WEIGHTS = """
## Other weights of the prior

The prior of arena is worth 4 games.
"""

STOPPED = """
## After a test

These tests have elo0 = 0 and alpha = beta = 0.05; each line is {tests} simulated tests. "Too low" is how
often the estimate is below the true value; the goal is 50 %.
"""

WATCHED = """
## While you watch

Each line is {matches:,} simulated matches. "Usual" is the interval of a match with a fixed number of games,
after every tenth pair, and "watched" the interval of arena before the end, after every pair from the third
on. A column is the share of the matches in which at least one interval was false until then. "Opening" is
by how many Elo openings favour a seat.
"""

Estimate = Callable[[Counts], EloEstimate | None]


@dataclass(frozen=True)
class Kind:
    """A kind of match: the Elo of the first engine, and the probabilities of the results of a pair."""

    elo: float
    shares: tuple[float, ...]


@dataclass(frozen=True)
class Figures:
    """How an estimate does in matches of one length.

    Attributes:
        inside: for each kind of match, how often the interval contains the true Elo.
        outside: for each kind with equal engines, how often LOS is below 1 % or above 99 %.
        likelihoods: for each level of LOS, the share of the matches, LOS, and how often it is right.
    """

    inside: list[float]
    outside: list[float]
    likelihoods: list[tuple[float, float, float]]


def game(draws: float, strength: float) -> tuple[float, ...]:
    """The probabilities of a loss, a draw and a win; ``draws`` is the share of draws between equals."""
    weights = exp(-strength / 2), 2 * draws / (1 - draws), exp(strength / 2)
    return tuple(weight / sum(weights) for weight in weights)


def pair(draws: float, opening: float, strength: float) -> tuple[float, ...]:
    """The probabilities of 0 to 2 points in a pair with an opening that favours a seat by ``opening`` Elo."""
    favour = opening * log(10) / 400
    one, other = game(draws, strength + favour), game(draws, strength - favour)
    shares = [0.0] * 5
    for first, second in product(range(3), repeat=2):
        shares[first + second] += one[first] * other[second]
    return tuple(shares)


def with_elo(shares: Callable[[float], tuple[float, ...]], elo: float) -> Kind:
    """Find the strength with which the first engine scores as it should with this Elo."""
    low, high = -40.0, 40.0
    for _ in range(80):
        middle = (low + high) / 2
        if mean_and_variance(shares(middle))[0] < score_of_elo(elo):
            low = middle
        else:
            high = middle
    return Kind(elo, shares(low))


@cache
def kinds(unit: str, deviation: int | None = None) -> tuple[Kind, ...]:
    """All kinds of matches that are counted in pairs or in games.

    Args:
        unit: "pair" or "game".
        deviation: the standard deviation of the strengths; without it they are those of `STRENGTHS`.
    """
    if unit == "game":
        models = [partial(game, draws) for draws in DRAWS]
    else:
        models = [partial(pair, draws, opening) for draws, opening in product(DRAWS, OPENINGS)]
    strengths: tuple[float, ...] = STRENGTHS
    if deviation is not None:
        half = NormalDist(0, deviation)
        strengths = tuple(half.inv_cdf(0.5 + (node + 0.5) / (2 * NODES)) for node in range(NODES))
    return tuple(with_elo(model, elo) for elo, model in product(strengths, models))


def normal(counts: Counts) -> EloEstimate:
    """The interval of fastchess and cutechess, and of arena before: score plus or minus 1.96 errors."""
    score, variance = mean_and_variance(counts)
    error = sqrt(variance / sum(counts))
    low, high = (
        elo_of_score(bound) if 0 < bound < 1 else None
        for bound in (score - 1.96 * error, score + 1.96 * error)
    )
    los = NORMAL.cdf((score - 0.5) / error) if error else (score > 0.5) + (score == 0.5) / 2
    return EloEstimate(elo_of_score(score) if 0 < score < 1 else None, low, high, los)


def certain(counts: Counts) -> EloEstimate:
    """The normal interval; without an error, the interval is a point, as it was before."""
    found = normal(counts)
    score, variance = mean_and_variance(counts)
    if variance:
        return found
    point = elo_of_score(min(max(score, 1e-12), 1 - 1e-12))
    return EloEstimate(point, point, point, found.los)


def with_weight(games: float) -> Estimate:
    """The posterior with a prior that is worth this many games."""

    def found(counts: Counts) -> EloEstimate | None:
        before, posterior.PRIOR_GAMES = posterior.PRIOR_GAMES, games
        try:
            return estimate(counts)
        finally:
            posterior.PRIOR_GAMES = before

    return found


def results(total: int, sorts: int) -> Iterator[Counts]:
    """Yield all counts with this sum."""
    if sorts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in results(total - first, sorts - 1):
            yield (first, *rest)


def chance(counts: Counts, shares: tuple[float, ...]) -> float:
    """The probability of these counts."""
    ways = lgamma(sum(counts) + 1) - sum(lgamma(number + 1) for number in counts)
    return exp(
        ways + sum(number * log(share) for number, share in zip(counts, shares, strict=True) if number)
    )


def sampled(total: int, shares: tuple[float, ...], matches: int = 500) -> list[tuple[Counts, float]]:
    """Simulated matches, each with its weight."""
    source = random.Random(str(shares))
    drawn = []
    for _ in range(matches):
        chosen = source.choices(range(len(shares)), shares, k=total)
        drawn.append((tuple(chosen.count(sort) for sort in range(len(shares))), 1 / matches))
    return drawn


@cache
def figures(method: Estimate, unit: str, total: int, deviation: int | None = None) -> Figures:
    """Measure an estimate in all kinds of matches of one length; see `kinds`."""
    sorts = 3 if unit == "game" else 5
    exact = total <= 20 or sorts == 3
    every = list(results(total, sorts)) if exact else []
    found = cache(method)
    inside: list[float] = []
    outside: list[float] = []
    levels = [[0.0] * 3 for _ in LEVELS]
    for kind in kinds(unit, deviation):
        weighed = (
            [(counts, chance(counts, kind.shares)) for counts in every]
            if exact
            else sampled(total, kind.shares)
        )
        good = extreme = 0.0
        for counts, weight in weighed:
            one = found(counts)
            assert one is not None
            good += weight * contains(one, kind.elo)
            extreme += weight * (not 0.01 <= one.los <= 0.99)
            if kind.elo:
                count_level(levels, one.los, weight)
        inside.append(good)
        if not kind.elo:
            outside.append(extreme)
    whole = sum(level[0] for level in levels)
    return Figures(
        inside,
        outside,
        [(level[0] / whole, level[1] / (level[0] or 1), level[2] / (level[0] or 1)) for level in levels],
    )


def contains(found: EloEstimate, elo: float) -> bool:
    """Whether the interval contains the true Elo."""
    return (found.low is None or found.low <= elo) and (found.high is None or elo <= found.high)


def count_level(levels: list[list[float]], los: float, weight: float) -> None:
    """Count whether the engine that LOS prefers is the stronger one, which is the first engine."""
    surer = max(los, 1 - los)
    level = levels[bisect(LEVELS, min(surer + 1e-9, 1.0)) - 1]
    level[0] += weight
    level[1] += weight * surer
    level[2] += weight * (0.5 if abs(los - 0.5) < 1e-6 else los > 0.5)


def coverage(unit: str, lengths: tuple[int, ...], methods: dict[str, Estimate]) -> None:
    """Print how often the intervals of some methods are right, for matches of some lengths."""
    print_head(
        [f"{unit}s", *(f"{name}: {head}" for name in methods for head in ("inside", "least", "outside"))]
    )
    for total in lengths:
        cells = [str(total)]
        for method in methods.values():
            made = figures(method, unit, total)
            outside = f"{mean(made.outside):.1%} ({max(made.outside):.1%})"
            cells += [f"{mean(made.inside):.1%}", f"{min(made.inside):.1%}", outside]
        print_row(cells)


def likelihoods(unit: str, lengths: tuple[int, ...], methods: dict[str, Estimate]) -> None:
    """Print LOS and how often it is right, for the levels of LOS that more than 1 % of the matches have."""
    print_head(["", f"{unit}s", *(f"from {level:.0%}" for level in LEVELS)])
    for (name, method), total in product(methods.items(), lengths):
        made = figures(method, unit, total).likelihoods
        shown = [f"{said:.1%}: {right:.0%}" if share > 0.01 else "" for share, said, right in made]
        print_row([name, str(total), *shown])


def spreads(lengths: tuple[int, ...]) -> None:
    """Print how often intervals and LOS are right for normal distributions of the strengths."""
    print_head(["deviation", "pairs", "inside", *(f"from {level:.0%}" for level in LEVELS)])
    for deviation, total in product(DEVIATIONS, lengths):
        made = figures(estimate, "pair", total, deviation)
        shown = [
            f"{said:.1%}: {right:.1%}" if share > 0.01 else "" for share, said, right in made.likelihoods
        ]
        print_row([str(deviation), str(total), f"{mean(made.inside):.1%}", *shown])


def print_head(cells: list[str]) -> None:
    """Print the head of a table in Markdown."""
    print_row(cells)
    print("|---" * len(cells) + "|", flush=True)


def print_row(cells: list[str]) -> None:
    """Print a row of a table in Markdown."""
    print(f"| {' | '.join(cell.replace('%', ' %') for cell in cells)} |", flush=True)


def stopped(tests: int) -> None:
    """Print how often the intervals contain the true Elo when a test stops the match."""
    heads = ("usual: inside", "usual: too low", "corrected: inside", "corrected: too low")
    print_head(["elo1", "draws", "true Elo", "pairs", *heads])
    for elo1, draws in product((30, 100, 200), (0.3, 0.7)):
        for elo in (0, elo1 // 2, elo1, 2 * elo1):
            row = stopped_line(Sprt(0, elo1), draws, elo, tests)
            print_row([str(elo1), f"{draws:.0%}", str(elo), *row])


def stopped_line(sprt: Sprt, draws: float, elo: int, tests: int) -> list[str]:
    """Simulate tests of one kind, and return the cells of a row."""
    source, shares = random.Random(1), with_elo(partial(pair, draws, 0), elo).shares
    lengths, inside, below = [], [0, 0], [0, 0]
    for _ in range(tests):
        counts, accepted = play(sprt, shares, source)
        lengths.append(sum(counts))
        for place, found in enumerate((estimate(counts), estimate_after_stop(sprt, counts, accepted))):
            if found is None:
                continue
            inside[place] += contains(found, elo)
            below[place] += found.elo is not None and found.elo < elo
    shares_of = zip(inside, below, strict=True)
    cells = [
        f"{share / tests:.{digits}%}"
        for pair_of in shares_of
        for share, digits in zip(pair_of, (1, 0), strict=True)
    ]
    return [f"{mean(lengths):.0f}", *cells]


def play(sprt: Sprt, shares: tuple[float, ...], source: random.Random) -> tuple[Counts, str]:
    """Play pairs until the test is decided; return the counts and the decision."""
    counts, ratio = [0] * 5, 0.0
    low, high = sprt.bounds
    while low < ratio < high:
        counts[source.choices(range(5), shares)[0]] += 1
        ratio = llr(sprt, counts)
    return tuple(counts), "elo1" if ratio > 0 else "elo0"


WATCHED_LENGTHS = (20, 200, 2000)
"""The numbers of pairs at which matches that somebody watches are counted."""

NEAR = (0.94, 1.06)
"""Between these shares of the distance to a bound it is computed exactly on which side of it a score is."""

FEW = 200
"""Up to this number of pairs it is computed for all scores that are not near the middle."""


def watched(matches: int) -> None:
    """Print how many matches have shown a false interval until then: one without the true Elo."""
    heads = [f"{name} {length}" for name in ("usual, until", "watched, until") for length in WATCHED_LENGTHS]
    print_head(["true Elo", "unit", "draws", "opening", *heads, f"usual, only at {WATCHED_LENGTHS[-1]}"])
    for unit, opening in (("pair", 0), ("pair", 200), ("game", 0)):
        for elo, draws in product((0, 200), (0.1, 0.5, 0.9, 0.99)):
            model = partial(game, draws) if unit == "game" else partial(pair, draws, opening)
            row = watched_line(with_elo(model, elo), matches)
            print_row([str(elo), unit, f"{draws:.0%}", str(opening), *row])


def watched_line(kind: Kind, matches: int) -> list[str]:
    """Simulate matches and return a row: the usual interval after each tenth unit, ours after each one."""
    source, sorts = np.random.default_rng(1), len(kind.shares)
    counts, everyone = np.zeros((matches, sorts), dtype=np.int64), np.arange(matches)
    false, last = np.zeros((2, matches), dtype=bool), np.zeros(matches, dtype=bool)
    cells: tuple[list[str], list[str]] = [], []
    for units in range(1, WATCHED_LENGTHS[-1] + 1):
        counts[everyone, source.choice(sorts, matches, p=np.array(kind.shares) / sum(kind.shares))] += 1
        if units % 10 == 0:
            last = outside(counts, kind.elo, (1 - CONFIDENCE) / 2)
            false[0] |= last
        left = np.flatnonzero(~false[1])
        if units >= LEAST_WATCHED:
            false[1, left] = outside(counts[left], kind.elo, watched_tail(units))
        if units in WATCHED_LENGTHS:
            for made, some in zip(cells, false, strict=True):
                made.append(f"{some.mean():.1%}")
    return [*cells[0], *cells[1], f"{last.mean():.1%}"]


def outside(counts: np.ndarray, elo: float, tail: float) -> np.ndarray:
    """Whether the true Elo is outside of the intervals of matches that have played equally many units."""
    score, scores = score_of_elo(elo), np.linspace(0, 1, counts.shape[1])
    weights = counts + np.array(with_prior([0] * counts.shape[1]))
    whole = weights.sum(axis=1)
    means = weights @ scores / whole
    deviations = np.sqrt((weights @ scores**2 / whole - means**2) / (whole + 1))
    distances = np.abs(means - score) / deviations / -NORMAL.inv_cdf(tail)
    low, high = NEAR if counts[0].sum() > FEW else (0.7, np.inf)
    found: np.ndarray = distances > high
    near = np.flatnonzero((distances > low) & ~found)
    if len(near):
        different, places = np.unique(counts[near], axis=0, return_inverse=True)
        shares = [score_is_at_most(tuple(row), score) for row in different.tolist()]
        found[near] = np.array([not tail <= share <= 1 - tail for share in shares])[places.ravel()]
    return found


def tables(tests: int) -> None:
    """Print all tables; ``tests`` is the number of simulated tests of each kind."""
    both: dict[str, Estimate] = {"usual": certain, "arena": estimate}
    print(COVERAGE)
    coverage("pair", (2, 3, 4, 5, 10, 20, 100), both)
    print()
    coverage("game", (2, 4, 6, 10, 20, 40), both)
    print(LIKELIHOODS)
    spreads((2, 3, 5, 10, 20))
    print(OF_THE_LIST)
    likelihoods("pair", (2, 3, 5, 10, 20), both)
    print(WEIGHTS)
    weights = {f"{games:g} games": with_weight(games) for games in (2, 4, 8)}
    coverage("pair", (2, 3, 5, 10), weights)
    print()
    likelihoods("pair", (2, 3, 5, 10), weights)
    print(STOPPED.format(tests=tests))
    stopped(tests)
    print(WATCHED.format(matches=20 * tests))
    watched(20 * tests)
