"""Tune an engine whose chance to win depends on two options, in virtual time.

Half of the range away from its best value, each option costs 200 Elo. The best values and those at the start
are drawn from the seed. Sixteen games run at the same time, and end in an order drawn from the seed:

    .venv/bin/python benchmarks/tune.py 20

With the usual 5,000 steps, which are 10,000 games, both options come within 5 % of the range for 19 of 20
seeds.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from math import sqrt
from pathlib import Path

from arena.config import TournamentSpec, load_values
from arena.formats.contest import ScheduleState
from arena.formats.plan import Schedule
from arena.formats.tune import TuneKeys, tuned
from arena.model import Pairing
from arena.scoring import GameEnding, SeatScore
from referee import Termination

OPTIONS = ("A", "B")
RANGE = 1000
COST = 800.0
"""The Elo that an option costs at the distance of the range; it grows with the square of the distance."""

DRAWS = 0.3
AT_ONCE = 16
WITHIN = 0.05


def tournament(start: Mapping[str, int], seed: int) -> TournamentSpec:
    """Return the tuning of an engine."""
    parameters = {name: {"start": value, "min": 0, "max": RANGE} for name, value in start.items()}
    return load_values(
        {
            "game": "hops",
            "format": "tune",
            "seed": seed,
            "tune": {"parameters": parameters},
            "engines": [{"name": "engine", "command": "sample:random"}],
        },
        Path("tune"),
    )


def ended(pairing: Pairing, best: Mapping[str, int], draw: random.Random) -> GameEnding:
    """Play a game, by Davidson's model."""
    first, second = (
        -COST * sum(((float(options[name]) - best[name]) / RANGE) ** 2 for name in OPTIONS)
        for options in pairing.options
    )
    odds = 10 ** ((first - second) / 400)
    tie = 2 * DRAWS / (1 - DRAWS) * sqrt(odds)
    chance = draw.random() * (odds + tie + 1)
    won = 1.0 if chance < odds else 0.5 if chance < odds + tie else 0.0
    ranks = (1 if won >= 0.5 else 2, 1 if won <= 0.5 else 2)
    seats = zip(pairing.seats, ranks, (won, 1 - won), strict=True)
    scores = tuple(SeatScore(name, rank, score, None) for name, rank, score in seats)
    return GameEnding(pairing.number, pairing.key, pairing.game, Termination.NORMAL, scores)


def farthest(seed: int) -> tuple[int, float]:
    """Tune the engine of a seed; return the games, and how far the worse option is from its best value."""
    draw = random.Random(f"tune {seed}")
    best = {name: draw.randint(200, 800) for name in OPTIONS}
    spec = tournament({name: draw.randint(100, 900) for name in OPTIONS}, seed)
    state = ScheduleState()
    pending = Schedule(spec.plan, spec.books()).pending(state)
    over = False
    while not over or state.running:
        while len(state.running) < AT_ONCE and not over:
            pairing = next(pending, ...)
            over = pairing is ...
            if not isinstance(pairing, Pairing):
                break
            state.running[pairing.key] = pairing
        if state.running:
            pairing = state.running.pop(draw.choice(list(state.running)))
            state.results[pairing.key] = ended(pairing, best, draw)
    keys, entrants = spec.format_keys, spec.plan.entrants("hops")
    assert isinstance(keys, TuneKeys)
    assert entrants is not None
    found = tuned(keys, entrants, state.results).found()
    return len(state.results), max(abs(float(found[name]) - best[name]) / RANGE for name in OPTIONS)


def main(seeds: int) -> None:
    """Print how near each seed comes, and how many are near enough."""
    near = 0
    for seed in range(1, seeds + 1):
        games, distance = farthest(seed)
        near += distance <= WITHIN
        print(f"seed {seed}: {games} games, {distance:.1%} of the range from the best value", flush=True)
    print(f"{near} of {seeds} within {WITHIN:.0%} of the range")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
