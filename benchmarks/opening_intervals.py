"""Check the intervals of the order-free fit with simulated games that depend on their openings.

OMP_NUM_THREADS=1 .venv/bin/python benchmarks/opening_intervals.py > benchmarks/opening_intervals.md
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from dataclasses import dataclass
from itertools import combinations

from intervals import ELO, TIES, play
from match_intervals import print_row

from arena.ratings.fit import fit
from arena.ratings.settings import RatingSettings
from arena.scoring import GameScore, GameScoreCounts, SeatScore

HEAD = """\
# How often intervals are right if games depend on their openings

`OMP_NUM_THREADS=1 python benchmarks/opening_intervals.py > benchmarks/opening_intervals.md` writes this page.

All engines are equally strong, and each pair of engines plays each opening twice with exchanged seats. An
opening can favour a seat, and an engine can play an opening well or badly. The same games can also be
played several times. Each line has two shares of 95 % intervals that contain the true strength: one if all
games count as independent, and one if the games on one opening count as one observation, as in arena. Each
line is {repeat} tournaments.

| games | engines | openings | as independent | by opening |
|---|---|---|---|---|"""


@dataclass(frozen=True)
class Kind:
    """How games depend on their opening.

    Attributes:
        name: for the table.
        seat: the standard deviation of an opening's advantage for the first seat, in Elo.
        skill: the standard deviation of an engine's strength on an opening, in Elo.
        copies: how often each game is played with the same moves.
    """

    name: str
    seat: float = 0
    skill: float = 0
    copies: int = 1


KINDS = (
    Kind("independent"),
    Kind("openings favour a seat (300 Elo)", seat=300),
    Kind("engines differ by opening (200 Elo)", skill=200),
    Kind("every game twice", copies=2),
    Kind("every game five times", copies=5),
)
SIZES = ((2, 5), (2, 10), (2, 50), (4, 5), (4, 20), (8, 10))


def clusters(chance: random.Random, kind: Kind, engines: int, openings: int) -> list[GameScoreCounts]:
    """Return the games of all pairs, those of a pair on one opening together."""
    found = []
    favours = [chance.gauss(0, kind.seat) for _ in range(openings)]
    skills = [[chance.gauss(0, kind.skill) for _ in range(engines)] for _ in range(openings)]
    for pair in combinations(range(engines), 2):
        for favour, skill in zip(favours, skills, strict=True):
            games: Counter[GameScore] = Counter()
            for first, second in (pair, pair[::-1]):
                worths = [(skill[first] + favour) / ELO, skill[second] / ELO]
                ranks = play(chance, worths, TIES[2])
                outcome = tuple(
                    SeatScore(str(engine), rank, 0.0, None)
                    for engine, rank in zip((first, second), ranks, strict=True)
                )
                games[outcome] += kind.copies
            found.append(games)
    return found


def measure(kind: Kind, engines: int, openings: int, repeat: int) -> list[str]:
    """Simulate a case, and return the cells of a row."""
    chance = random.Random(1)
    inside = [0, 0]
    for _ in range(repeat):
        played = clusters(chance, kind, engines, openings)
        total = sum(played, start=Counter[GameScore]())
        for place, known in enumerate(((), played)):
            fitted = fit(total, RatingSettings(), None, known)
            assert fitted is not None
            inside[place] += sum(abs(strength.elo) <= strength.error for strength in fitted.strengths)
    alone, together = (share / repeat / engines for share in inside)
    return [kind.name, str(engines), str(openings), f"{alone:.0%}", f"{together:.0%}"]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=200)
    repeat = parser.parse_args().repeat
    print(HEAD.format(repeat=repeat))
    for kind in KINDS:
        for engines, openings in SIZES:
            print_row(measure(kind, engines, openings, repeat))


if __name__ == "__main__":
    main()
