"""How often the fit's intervals hold the truth, and who is called stronger is: games of known strengths.

.venv/bin/python benchmarks/intervals.py [--repeat 500]

Games are played as the model has them, so this measures what few games do, not whether real engines are like
the model. A line says in how many cases of 100 the truth was within an engine's interval, and a seat's; then,
of the pairs whose likelihood of superiority lay between two values, how many in 100 were in that order.
"""

from __future__ import annotations

import argparse
import random
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import exp, log

from arena.ratings import RatingSettings
from arena.ratings.fit import Fit, fit
from arena.scoring import GameScore, GameScoreCounts, SeatScore

ELO = 400 / log(10)
TIES = {2: (1.0, 0.4), 4: (1.0, 0.4, 0.1, 0.05)}
SEATS = (35, -35, 17, -17)
LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)


@dataclass(frozen=True)
class Case:
    """Engines that all meet: strengths are normal with a deviation of so many Elo."""

    players: int
    engines: int
    games: int
    deviation: float


CASES = (
    Case(2, 2, 20, 170),
    Case(2, 3, 4, 170),
    Case(2, 3, 10, 50),
    Case(2, 3, 10, 170),
    Case(2, 3, 10, 430),
    Case(2, 6, 10, 50),
    Case(2, 6, 10, 170),
    Case(2, 6, 10, 430),
    Case(2, 6, 100, 170),
    Case(4, 4, 20, 170),
    Case(4, 6, 4, 50),
    Case(4, 6, 4, 170),
    Case(4, 6, 4, 430),
    Case(4, 6, 20, 170),
)


def play(chance: random.Random, worths: list[float], ties: tuple[float, ...]) -> list[int]:
    """The ranks of one game; worths are logarithms, in seat order."""
    left, ranks = list(range(len(worths))), [0] * len(worths)
    while left:
        sets = [chosen for size in range(1, len(left) + 1) for chosen in combinations(left, size)]
        weights = [ties[len(one) - 1] * exp(sum(worths[seat] for seat in one) / len(one)) for one in sets]
        (chosen,) = chance.choices(sets, weights)
        for seat in chosen:
            ranks[seat] = len(worths) - len(left) + 1
        left = [seat for seat in left if seat not in chosen]
    return ranks


def games(chance: random.Random, case: Case, truth: dict[str, float]) -> Iterator[GameScore]:
    """Everybody meets everybody so often, and seats are taken in turns."""
    for table in combinations(truth, case.players):
        for turn in range(case.games):
            first = turn % case.players
            names = table[first:] + table[:first]
            worths = [(truth[name] + SEATS[seat]) / ELO for seat, name in enumerate(names)]
            ranks = play(chance, worths, TIES[case.players])
            yield tuple(SeatScore(name, rank, 0.0, None) for name, rank in zip(names, ranks, strict=True))


def superior(found: Fit, truth: dict[str, float]) -> Iterator[tuple[int, bool]]:
    """Of each pair the level of its likelihood, and whether it was right."""
    matrix = found.superiority()
    for (row, one), (column, other) in combinations(enumerate(found.strengths), 2):
        yield bisect(LEVELS, matrix[row][column]), truth[one.name] > truth[other.name]


def measure(case: Case, repeat: int) -> str:
    """A line of figures."""
    chance = random.Random(1)
    inside: Counter[str] = Counter()
    right: defaultdict[int, list[bool]] = defaultdict(list)
    for _ in range(repeat):
        truth = {str(number): chance.gauss(0, case.deviation) for number in range(case.engines)}
        played: GameScoreCounts = Counter(games(chance, case, truth))
        found = fit(played, RatingSettings())
        assert found is not None
        mean = sum(truth.values()) / case.engines
        inside["engines"] += sum(
            abs(one.elo - truth[one.name] + mean) <= one.error for one in found.strengths
        )
        middle = sum(SEATS[: case.players]) / case.players
        inside["seats"] += sum(
            abs(one.elo - worth + middle) <= one.error for one, worth in zip(found.seats, SEATS, strict=False)
        )
        for level, truly in superior(found, truth):
            right[level].append(truly)
    shares = " ".join(
        f"{sum(right[level]) / len(right[level]):6.1%}" if right[level] else f"{'':6}"
        for level in range(1, len(LEVELS) + 1)
    )
    engines = inside["engines"] / repeat / case.engines
    seats = inside["seats"] / repeat / case.players
    head = f"{case.players:7} {case.engines:7} {case.games:5} {case.deviation:9.0f}"
    return f"{head} {engines:7.1%} {seats:6.1%}  {shares}"


def main() -> None:
    """Measure all cases."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=500)
    given = parser.parse_args()
    levels = " ".join(f"{f'{level:.0%}+':>6}" for level in LEVELS)
    print(f"players engines games deviation engines  seats  {levels}")
    for case in CASES:
        print(measure(case, given.repeat), flush=True)


if __name__ == "__main__":
    main()
