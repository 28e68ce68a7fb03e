"""Place engines of known strength in virtual time: how often the interval holds, and how many games it takes.

Each engine is placed by the format itself, and by a round-robin against the same list that stops by the same
interval.
The list is as far apart as the levels of a game:

    .venv/bin/python benchmarks/place.py 500

Without draws, the interval of ± 30 holds at all looks for 481 of 500 engines. It takes 1,169 games an
engine, 0.41 of the games of the round-robin.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from math import sqrt

from arena.formats.contest import Contest, Entrants, ScheduleState
from arena.formats.place import PLACE, PlaceKeys, Placing
from arena.model import Pairing
from arena.openings.book import OpeningBook, OpeningSpec
from arena.scoring import GameEnding, SeatScore
from arena.strength.interval import estimate
from referee import Termination, game
from referee.match.adjudication import Adjudication

GAME = "quoridor"
STRENGTHS = tuple(200.0 * level for level in range(8))
WITHIN = 30.0
DRAWS = (0.0, 0.3)
LOOK = 8
"""A round-robin is looked at after each opponent has played one pair more."""


def points(lead: float, draws: float, draw: random.Random) -> float:
    """Return the points of a game, by Davidson's model."""
    odds = 10 ** (lead / 400)
    tie = 2 * draws / (1 - draws) * sqrt(odds)
    chance = draw.random() * (odds + tie + 1)
    return 1.0 if chance < odds else 0.5 if chance < odds + tie else 0.0


def ended(pairing: Pairing, strength: float, draws: float, draw: random.Random) -> GameEnding:
    """Play a game of the first engine, which has this strength."""
    first, second = (strength if name == "new" else STRENGTHS[int(name)] for name in pairing.seats)
    won = points(first - second, draws, draw)
    ranks = (1 if won >= 0.5 else 2, 1 if won <= 0.5 else 2)
    seats = zip(pairing.seats, ranks, (won, 1 - won), strict=True)
    scores = tuple(SeatScore(name, rank, score, None) for name, rank, score in seats)
    return GameEnding(pairing.number, pairing.key, pairing.game, Termination.NORMAL, scores)


def place(strength: float, keys: PlaceKeys, draw: random.Random) -> tuple[int, bool, float]:
    """Return the games, whether the interval held at all looks, and the error of the estimate."""
    entrants = Entrants(GAME, ("new", *keys.strengths))
    rules = game(GAME)
    contest = Contest(entrants, OpeningBook(OpeningSpec(), rules, None, Adjudication()))
    state = ScheduleState()
    watch, holds = Placing(keys, entrants), True
    for number, item in enumerate(PLACE.next_games(keys, contest, state), 1):
        assert isinstance(item, Pairing)
        state.results[item.key] = ended(item, strength, keys.draws, draw)
        if number % LOOK == 0:
            watch.count(state.results)
            found = watch.look()
            holds &= found.low is None or found.low <= strength
            holds &= found.high is None or found.high >= strength
    elo = watch.look().elo
    assert elo is not None
    return len(state.results), holds, elo - strength


def round_robin(strength: float, draws: float, draw: random.Random) -> int:
    """Return the games that a round-robin takes until the same interval is as narrow."""
    pairs: Counter[tuple[float, int]] = Counter()
    while True:
        for opponent in STRENGTHS:
            won = sum(points(strength - opponent, draws, draw) for _ in range(2))
            pairs[opponent, round(2 * won)] += 1
        error = estimate(pairs, draws, WITHIN).error
        if error is not None and error <= WITHIN:
            return 2 * pairs.total()


def main(engines: int) -> None:
    """Print a line for each share of draws."""
    for draws in DRAWS:
        placed, others = [], 0
        list_ = {str(number): elo for number, elo in enumerate(STRENGTHS)}
        keys = PlaceKeys(within=WITHIN, draws=draws, strengths=list_)
        for engine in range(engines):
            draw = random.Random(f"{draws} {engine}")
            strength = draw.uniform(STRENGTHS[0], STRENGTHS[-1])
            placed.append(place(strength, keys, draw))
            others += round_robin(strength, draws, draw)
        games = sum(number for number, _, _ in placed)
        held = sum(holds for _, holds, _ in placed)
        inside = sum(abs(error) <= WITHIN for _, _, error in placed)
        print(
            f"draws {draws:.0%}: the interval held at all looks for {held} of {engines}; {inside} are within"
            f" ±{WITHIN:g}; {games / engines:.0f} games an engine, {games / others:.2f} of a round-robin",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
