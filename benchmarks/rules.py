"""Measure the speed of the rules of every game: a ply of the referee, the list of legal moves, and perft.

In a ply, the referee reads and checks the text of a move, plays it, asks for the outcome (some rules look for
a legal move then), and makes the key for repetitions. The moves are from random games, with the texts of
`legal_moves`.

    .venv/bin/python benchmarks/rules.py [--games 50] [--keep] [ID ...]

The figures are compared with the stored figures in ``rules.csv`` in this folder. Each run first measures a
loop of plain Python on the same processor, and the figures are compared in units of this loop. ``--keep``
stores the new figures.
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
PERFT_NODES = 300_000  # perft counts at the first depth with this many positions
COLUMNS = ("game", "median", "p99", "list", "nodes per second")


def unit() -> float:
    """Return the seconds for a fixed loop of plain Python, the best of five."""

    def loop() -> float:
        begin = time.perf_counter()
        total = 0
        for number in range(1_000_000):
            total += number & 7
        return time.perf_counter() - begin

    return min(loop() for _ in range(5))


def random_game(game_id: str, seed: int) -> Iterator[str]:
    """Yield the moves of a random game."""
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
    """Return the microseconds for each ply of random games; no position has listed its moves before."""
    clock = time.perf_counter
    times = []
    for seed in range(games):
        position = game(game_id).start()
        for text in list(random_game(game_id, seed)):
            begin = clock()
            position = position.play(position.parse_move(text))
            position.outcome()
            hash(position.key())
            times.append((clock() - begin) * 1e6)
    return times


def list_milliseconds(game_id: str) -> float:
    """Return the milliseconds for the list of legal moves at the start, the median of nine."""
    times = []
    for _ in range(9):
        position = game(game_id).parse_position(str(game(game_id).start()))
        begin = time.perf_counter()
        list(position.legal_moves())
        times.append((time.perf_counter() - begin) * 1e3)
    return statistics.median(times)


def nodes_per_second(game_id: str) -> float:
    """Return the positions that perft counts in a second, at the first depth with enough positions."""
    start = game(game_id).start()
    for depth in range(1, 12):
        begin = time.perf_counter()
        nodes = perft(start, depth)
        seconds = time.perf_counter() - begin
        if nodes >= PERFT_NODES or seconds > 3:
            return nodes / seconds
    raise AssertionError(f"{game_id} has too few moves for perft")


def measure(game_id: str, games: int) -> dict[str, float]:
    """Return the figures of one game."""
    costs = sorted(plies(game_id, games))
    return {
        "median": statistics.median(costs),
        "p99": costs[int(len(costs) * 0.99)],
        "list": list_milliseconds(game_id),
        "nodes per second": nodes_per_second(game_id),
    }


def stored_figures() -> dict[str, dict[str, float]]:
    """Return the stored figures by game, each with the unit of its run."""
    if not KEPT.exists():
        return {}
    with KEPT.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {row["game"]: {name: float(row[name]) for name in row if name != "game"} for row in rows}


def main() -> None:
    """Measure, print, and store the figures with ``--keep``."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ids", nargs="*", metavar="ID", default=game_ids())
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--keep", action="store_true", help="replace the figures to compare with")
    options = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    own_unit, before = unit(), stored_figures()
    titles = f"{'game':24}{'µs a ply':>10}{'p99':>8}{'list, ms':>10}{'perft/s':>12}"
    print(f"{titles}   time, stored = 1: ply, list, perft")
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
    """Return the ratios of new to stored times, each in units of its own run."""
    if old is None:
        return "no stored figures"
    speed = own_unit / old["unit"]
    ratios = (
        figures["median"] / old["median"] / speed,
        figures["list"] / old["list"] / speed,
        old["nodes per second"] / figures["nodes per second"] / speed,
    )
    return ", ".join(f"{ratio:.2f}" for ratio in ratios)


def format_number(value: float | str) -> str:
    """Return a number with four digits."""
    return value if isinstance(value, str) else f"{value:.4g}"


if __name__ == "__main__":
    main()
