"""Measure the speed and the memory of the export and import of a large database.

.venv/bin/python benchmarks/records.py [--games 10000] [--game quoridor] [--plies 40] [--server postgresql:///empty]

The games are random and end after a fixed number of plies. An import plays every move again, so it spends
most of its time in the rules, and its speed depends on the game. With a server, the text is imported into its
empty database, too.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from arena.model import GameRecord, GameResult, Opening, PlayerRecord
from arena.store import Store
from referee import Termination, game
from referee.ply import Ply

POOL = 50
"""The number of different games; each is stored many times under different keys."""

CHILD = """
import resource, subprocess, sys, time
begun = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
seconds = time.perf_counter() - begun
print(seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, done.returncode)
"""


def playout(game_id: str, plies: int, chance: random.Random) -> GameRecord:
    """Return a random game that is stopped after ``plies`` plies; try again if a game ends before."""
    rules = game(game_id)
    for _ in range(100):
        position = rules.start()
        record: list[Ply] = []
        while len(record) < plies and position.outcome() is None:
            move = chance.choice(list(position.legal_moves()))
            time = chance.randrange(10**9)
            record.append(Ply(position.turn, str(move), time, f"cp {chance.randrange(-300, 300)}", 8))
            position = position.play(move)
        if position.outcome() is None:
            break
    else:
        raise SystemExit(
            f"random games of {game_id} nearly always end before {plies} plies; set a smaller --plies"
        )
    count = rules.info.players
    players = tuple(
        PlayerRecord(f"engine-{seat}", "1.0", 1, 0.5, None, "10+0.1", 100, 10**9) for seat in range(count)
    )
    result = GameResult(
        None, "league", 0, "", game_id, Termination.ADJUDICATED, "length", "", len(record), players
    )
    return GameRecord(result, Opening(), tuple(record), str(position), 1.7e9, 10**9)


def fill(database: Path, games: int, pool: list[GameRecord]) -> None:
    """Create a database with this number of games."""
    with closing(Store.open(database, create=True)) as store:
        store.begin_tournament("league", {"time_control": "10+0.1"})
        for first in range(0, games, 1000):
            numbers = range(first, min(first + 1000, games))
            batch = []
            for number in numbers:
                record = pool[number % len(pool)]
                result = replace(record.result, number=number, key=f"game {number}")
                batch.append(replace(record, result=result))
            store.add_games(batch)


def measured(*words: str) -> tuple[float, float]:
    """Run an ``arena`` command; return its seconds and megabytes."""
    command = [sys.executable, "-c", CHILD, sys.executable, "-m", "arena", *words]
    seconds, peak, code = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert code == "0", (words, code)
    return float(seconds), float(peak)


def main() -> None:
    """Create a database, then measure export and import in both formats."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--game", default="quoridor")
    parser.add_argument("--plies", type=int, default=40)
    parser.add_argument("--server", metavar="ADDRESS", help="an empty database on a PostgreSQL server")
    options = parser.parse_args()
    chance = random.Random(1)
    pool = [playout(options.game, options.plies, chance) for _ in range(POOL)]
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        fill(folder / "arena.db", options.games, pool)
        size = (folder / "arena.db").stat().st_size / 1e6
        print(f"{options.games} games of {options.game}, {options.plies} plies each, database {size:.1f} MB")
        print(f"{'':16}{'MB':>8}{'s':>8}{'MB/s':>8}{'games/s':>10}{'peak MB':>9}")
        for form in ("pgn", "jsonl"):
            file = folder / form
            archive = ["--jsonl"] if form == "jsonl" else []
            steps = {
                f"export {form}": ("export", "--db", f"{folder}/arena.db", "-o", str(file), *archive),
                f"import {form}": ("import", str(file), "--db", f"{file}.db"),
            }
            if options.server and form == "pgn":
                steps["import, server"] = ("import", str(file), "--db", options.server)
            for name, words in steps.items():
                seconds, peak = measured(*words)
                size = file.stat().st_size / 1e6
                rates = f"{size / seconds:8.1f}{options.games / seconds:10.0f}{peak:9.1f}"
                print(f"{name:16}{size:8.1f}{seconds:8.1f}{rates}", flush=True)


if __name__ == "__main__":
    main()
