"""What the rules cost: the referee's part of a ply, legal move lists, and perft, for every game.

The referee's part of a ply is what it does with a move that an engine sent: read and validate the text, play
it, see whether the game is over (which includes whether there is a move, where the rules ask for that), and
make the key for repetitions. Measured over random games, each text as `legal_moves` gives it.

    .venv/bin/python benchmarks/rules.py [--games 50] [--keep] [ID ...]

Figures are compared with those kept in ``rules.csv`` beside this file, as ratios of ratios: each run first
measures a loop of plain Python on the same processor, and a game's figures count in units of it. ``--keep``
replaces the kept figures.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from referee import game, game_ids
from referee.perft import perft

KEPT = Path(__file__).with_suffix(".csv")
LONGEST = 300
PERFT_NODES = 300_000  # perft goes as deep as this many positions allow
COLUMNS = ("game", "median", "p99", "list", "nodes per second")


def unit() -> float:
    """Seconds for a fixed loop of plain Python, the best of five."""

    def loop() -> float:
        begin = time.perf_counter()
        total = 0
        for number in range(1_000_000):
            total += number & 7
        return time.perf_counter() - begin

    return min(loop() for _ in range(5))


def random_game(game_id: str, seed: int) -> Iterator[str]:
    """The moves of a random game."""
    rng = random.Random(f"{game_id} {seed}")
    position = game(game_id).start()
    for _ in range(LONGEST):
        moves = [str(move) for move in position.legal_moves()]
        if not moves:
            return
        text = moves[int(rng.random() * len(moves))]
        yield text
        position = position.play(position.parse_move(text))


def plies(game_id: str, games: int) -> list[float]:
    """Microseconds for each ply of some random games, played by positions that have listed no moves."""
    clock = time.perf_counter
    found = []
    for seed in range(games):
        position = game(game_id).start()
        for text in list(random_game(game_id, seed)):
            begin = clock()
            position = position.play(position.parse_move(text))
            position.outcome()
            hash(position.key())
            found.append((clock() - begin) * 1e6)
    return found


def list_milliseconds(game_id: str) -> float:
    """Milliseconds for the list of legal moves at the start, the median of nine."""
    times = []
    for _ in range(9):
        position = game(game_id).parse_position(str(game(game_id).start()))
        begin = time.perf_counter()
        list(position.legal_moves())
        times.append((time.perf_counter() - begin) * 1e3)
    return statistics.median(times)


def nodes_per_second(game_id: str) -> float:
    """Positions that perft counts in a second, at the first depth that has enough of them."""
    start = game(game_id).start()
    for depth in range(1, 12):
        begin = time.perf_counter()
        nodes = perft(start, depth)
        seconds = time.perf_counter() - begin
        if nodes >= PERFT_NODES or seconds > 3:
            return nodes / seconds
    raise AssertionError(f"{game_id} has hardly any moves")


def measure(game_id: str, games: int) -> dict[str, float]:
    """The figures of one game."""
    costs = sorted(plies(game_id, games))
    return {
        "median": statistics.median(costs),
        "p99": costs[int(len(costs) * 0.99)],
        "list": list_milliseconds(game_id),
        "nodes per second": nodes_per_second(game_id),
    }


def kept() -> dict[str, dict[str, float]]:
    """What was kept: figures by game, and the unit they go with."""
    if not KEPT.exists():
        return {}
    with KEPT.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {row["game"]: {name: float(row[name]) for name in row if name != "game"} for row in rows}


def main() -> None:
    """Measure, print, and keep if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ids", nargs="*", metavar="ID", default=game_ids())
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--keep", action="store_true", help="replace the figures to compare with")
    options = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    own_unit, before = unit(), kept()
    titles = f"{'game':24}{'µs a ply':>10}{'p99':>8}{'list, ms':>10}{'perft/s':>12}"
    print(f"{titles}   time, kept = 1: ply, list, perft")
    rows = []
    for game_id in options.ids:
        figures = measure(game_id, options.games)
        rows.append({"game": game_id, **figures, "unit": own_unit})
        line = "{median:10.1f}{p99:8.0f}{list:10.2f}{nodes per second:12,.0f}".format(**figures)
        print(f"{game_id:24}{line}   {compared(figures, own_unit, before.get(game_id))}", flush=True)
    if options.keep:
        with KEPT.open("w", newline="") as file:
            writer = csv.DictWriter(file, (*COLUMNS, "unit"))
            writer.writeheader()
            writer.writerows({name: format_number(value) for name, value in row.items()} for row in rows)


def compared(figures: dict[str, float], own_unit: float, old: dict[str, float] | None) -> str:
    """Times of this run against the kept ones, each in units of its own run."""
    if old is None:
        return "nothing kept"
    speed = own_unit / old["unit"]
    ratios = (
        figures["median"] / old["median"] / speed,
        figures["list"] / old["list"] / speed,
        old["nodes per second"] / figures["nodes per second"] / speed,
    )
    return ", ".join(f"{ratio:.2f}" for ratio in ratios)


def format_number(value: float | str) -> str:
    """Four digits are enough."""
    return value if isinstance(value, str) else f"{value:.4g}"


if __name__ == "__main__":
    main()
