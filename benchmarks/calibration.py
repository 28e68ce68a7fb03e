"""Check the likelihoods of superiority and the orders of rankings with games of engines of known strength.

.venv/bin/python benchmarks/calibration.py > benchmarks/calibration.md
"""

from __future__ import annotations

import argparse
import random
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import exp, log, sqrt
from statistics import NormalDist

from match_intervals import print_head, print_row

from arena.ratings.fit import Fit, fit
from arena.ratings.settings import RatingSettings
from arena.ratings.trueskill import rate
from arena.scoring import GameScore, SeatScore

ELO = 400 / log(10)
TIE = 0.4
LEVELS = (0.5, 0.7, 0.8, 0.9, 0.95)
CASES = [
    (engines, games, spread) for engines, games in ((2, 20), (3, 10), (8, 20)) for spread in (5, 30, 100, 300)
]


HEAD = """\
# Likelihoods of superiority, and orders

`python benchmarks/calibration.py > benchmarks/calibration.md` writes this page.

## The likelihood of superiority

Each line is some hundred leagues of engines whose strengths have a normal distribution; "spread" is its
standard deviation in Elo. In each pair of engines, the table looks at the engine with the higher Elo.
"Weak" is the mean likelihood that this engine is superior by the weak prior of the fit, "shown" the same by
the estimated spread, and "right" is how often this engine was the stronger one. The other columns say how
often it was the stronger one if the shown likelihood was between this value and the next one.
"""

ORDERS = """
## The order of a table

In a league of eight engines, four have played "many" games of each pair among each other, and four have
played "few" games against them. The other columns are the shares of the pairs that are in the right order
by each number.
"""


def played(
    chance: random.Random, truth: dict[str, float], pairs: Sequence[tuple[str, str]]
) -> Iterator[GameScore]:
    """Yield a game of each pair, by the model of the fit without an advantage of a seat."""
    for one, other in pairs:
        half = (truth[one] - truth[other]) / ELO / 2
        ((first, second),) = chance.choices(((1, 2), (1, 1), (2, 1)), (exp(half), TIE, exp(-half)))
        yield SeatScore(one, first, 0.0, None), SeatScore(other, second, 0.0, None)


def league(engines: Sequence[str], games: int) -> list[tuple[str, str]]:
    """Return the pairs of a round-robin, with alternating seats."""
    return [pair if turn % 2 else pair[::-1] for pair in combinations(engines, 2) for turn in range(games)]


def fitted(games: Sequence[GameScore]) -> Fit:
    """Fit the games."""
    found = fit(Counter(games), RatingSettings())
    assert found is not None
    return found


def likelihoods(engines: int, games: int, spread: int, repeat: int) -> list[str]:
    """Simulate tournaments, and return the cells of a row of the first table."""
    chance = random.Random(7)
    weak, shown, right = [], [], []
    levels: defaultdict[int, list[bool]] = defaultdict(list)
    for _ in range(repeat):
        truth = {str(number): chance.gauss(0, spread) for number in range(engines)}
        found = fitted(list(played(chance, truth, league(list(truth), games))))
        own, matrix = found.covariance, found.superiority()
        for (row, first), (column, second) in combinations(enumerate(found.strengths), 2):
            deviation = sqrt(own[row, row] + own[column, column] - 2 * own[row, column])
            weak.append(NormalDist().cdf((first.elo - second.elo) / deviation))
            shown.append(matrix[row][column])
            right.append(truth[first.name] > truth[second.name])
            levels[bisect(LEVELS, shown[-1])].append(right[-1])
    shares = [_share(levels[level]) if levels[level] else "" for level in range(1, len(LEVELS) + 1)]
    means = [f"{sum(values) / len(values):.1%}" for values in (weak, shown, right)]
    return [str(engines), str(games), str(spread), *means, *shares]


def orders(spread: int, few: int, many: int, repeat: int) -> list[str]:
    """Simulate leagues in which half of the engines have few games; return the cells of a row."""
    chance = random.Random(3)
    right: Counter[str] = Counter()
    pairs = 0
    for _ in range(repeat):
        truth = {str(number): chance.gauss(0, spread) for number in range(8)}
        busy, new = list(truth)[:4], list(truth)[4:]
        plan = league(busy, many) + [(one, chance.choice(busy)) for one in new for _ in range(few)]
        chance.shuffle(plan)
        games = list(played(chance, truth, plan))
        elo = {strength.name: strength.elo for strength in fitted(games).strengths}
        rated = rate(games, RatingSettings())
        for one, other in combinations(truth, 2):
            pairs += 1
            better = truth[one] > truth[other]
            right["elo"] += (elo[one] > elo[other]) == better
            right["mu"] += (rated[one].mu > rated[other].mu) == better
            right["careful"] += (rated[one].conservative > rated[other].conservative) == better
    shares = [f"{right[order] / pairs:.1%}" for order in ("careful", "mu", "elo")]
    return [str(spread), str(few), str(many), *shares]


def _share(values: Sequence[bool]) -> str:
    return f"{sum(values) / len(values):.0%}"


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=200)
    repeat = parser.parse_args().repeat
    print(HEAD)
    print_head(
        ["engines", "games", "spread", "weak", "shown", "right", *(f"from {level:.0%}" for level in LEVELS)]
    )
    for engines, games, spread in CASES:
        print_row(likelihoods(engines, games, spread, repeat * 8 // engines))
    print(ORDERS)
    print_head(["spread", "few", "many", "`mu-3sigma`", "`mu`", "Elo"])
    for spread in (100, 300):
        for few in (4, 12):
            print_row(orders(spread, few, 40, max(repeat // 2, 1)))


if __name__ == "__main__":
    main()
