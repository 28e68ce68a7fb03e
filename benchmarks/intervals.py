"""Check the intervals of ratings and of matches with simulated games of engines whose strengths are known.

.venv/bin/python benchmarks/intervals.py [--repeat 500] [--of fit] [--of matches] > benchmarks/intervals.md

After the intervals of the order-free fit, `match_intervals.py` checks the intervals of matches. ``--of``
chooses one of the two.
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

import match_intervals

from arena.ratings.fit import Fit, fit
from arena.ratings.settings import RatingSettings
from arena.scoring import GameScore, GameScoreCounts, SeatScore

ELO = 400 / log(10)
TIES = {2: (1.0, 0.4), 4: (1.0, 0.4, 0.1, 0.05)}
SEATS = (35, -35, 17, -17)
LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)

HEAD = """\
# How often intervals are right

`python benchmarks/intervals.py > benchmarks/intervals.md` writes this page.
"""

FIT = """
## Ratings

Each line is {repeat} tournaments, in which every possible group of two or four engines plays a number of
games. "Deviation" is the standard deviation of the strengths of the engines, in Elo. "Engines" and "seats"
are the shares of the intervals that contain the true strength; the goal is 95 %. The other columns are
about pairs of engines whose likelihood of superiority (LOS) is between this value and the next one: in what
share of these pairs the engine that LOS prefers is the stronger one.

The games follow the model of the fit. So the table shows the effect of few games, and not whether real
engines follow the model.
"""


@dataclass(frozen=True)
class Case:
    """A tournament in which all engines meet; their strengths have this standard deviation in Elo."""

    players: int
    engines: int
    games: int
    deviation: int


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
    """Play a game; return the ranks in seat order. The worths are logarithms of strengths, in seat order."""
    left, ranks = list(range(len(worths))), [0] * len(worths)
    while left:
        sets = [chosen for size in range(1, len(left) + 1) for chosen in combinations(left, size)]
        weights = [
            ties[len(seats) - 1] * exp(sum(worths[seat] for seat in seats) / len(seats)) for seats in sets
        ]
        (chosen,) = chance.choices(sets, weights)
        for seat in chosen:
            ranks[seat] = len(worths) - len(left) + 1
        left = [seat for seat in left if seat not in chosen]
    return ranks


def games(chance: random.Random, case: Case, truth: dict[str, float]) -> Iterator[GameScore]:
    """Yield the scores of all games: every group plays ``case.games`` games with rotating seats."""
    for table in combinations(truth, case.players):
        for turn in range(case.games):
            first = turn % case.players
            names = table[first:] + table[:first]
            worths = [(truth[name] + SEATS[seat]) / ELO for seat, name in enumerate(names)]
            ranks = play(chance, worths, TIES[case.players])
            yield tuple(SeatScore(name, rank, 0.0, None) for name, rank in zip(names, ranks, strict=True))


def superior(fitted: Fit, truth: dict[str, float]) -> Iterator[tuple[int, bool]]:
    """Yield for each pair of engines the level of its LOS, and whether its order is right."""
    matrix = fitted.superiority()
    for (row, first), (column, second) in combinations(enumerate(fitted.strengths), 2):
        yield bisect(LEVELS, matrix[row][column]), truth[first.name] > truth[second.name]


def measure(case: Case, repeat: int) -> list[str]:
    """Simulate a case, and return the cells of a row."""
    chance = random.Random(1)
    inside: Counter[str] = Counter()
    right: defaultdict[int, list[bool]] = defaultdict(list)
    for _ in range(repeat):
        truth = {str(number): chance.gauss(0, case.deviation) for number in range(case.engines)}
        played: GameScoreCounts = Counter(games(chance, case, truth))
        fitted = fit(played, RatingSettings())
        assert fitted is not None
        mean = sum(truth.values()) / case.engines
        inside["engines"] += sum(
            abs(strength.elo - truth[strength.name] + mean) <= strength.error for strength in fitted.strengths
        )
        middle = sum(SEATS[: case.players]) / case.players
        inside["seats"] += sum(
            abs(seat.elo - worth + middle) <= seat.error
            for seat, worth in zip(fitted.seats, SEATS, strict=False)
        )
        for level, correct in superior(fitted, truth):
            right[level].append(correct)
    shares = [
        f"{sum(right[level]) / len(right[level]):.1%}" if right[level] else ""
        for level in range(1, len(LEVELS) + 1)
    ]
    engines = inside["engines"] / repeat / case.engines
    seats = inside["seats"] / repeat / case.players
    head = [str(number) for number in (case.players, case.engines, case.games, case.deviation)]
    return [*head, f"{engines:.1%}", f"{seats:.1%}", *shares]


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=500)
    parser.add_argument("--of", choices=("fit", "matches"), action="append")
    options = parser.parse_args()
    print(HEAD, end="")
    if "fit" in (options.of or ["fit"]):
        fit_table(options.repeat)
    if "matches" in (options.of or ["matches"]):
        match_intervals.tables(options.repeat)


def fit_table(repeat: int) -> None:
    """Print the table of the fit."""
    print(FIT.format(repeat=repeat))
    heads = ["players", "engines", "games", "deviation", "engines", "seats"]
    match_intervals.print_head([*heads, *(f"LOS from {level:.0%}" for level in LEVELS)])
    for case in CASES:
        match_intervals.print_row(measure(case, repeat))


if __name__ == "__main__":
    main()
