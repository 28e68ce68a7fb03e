"""Run a tournament from Python, and read its table from the database.

Run it in a checkout: ``python docs/examples/python/run_a_tournament.py``.
"""

import sys
import tempfile
from pathlib import Path

import trio

from arena.config import load
from arena.ended_games import GameScoreCounts
from arena.run.events import GameEnded, TournamentEvent
from arena.run.tournament import run_tournament
from arena.schedule import Schedule
from arena.store import Store
from arena.tables.standings import Standing, standings

ENGINES = Path(__file__).parents[3] / "engines"

TOURNAMENT = f"""
name = "example"
games = ["quoridor"]
time_control = "1+0.1"
openings = {{ kind = "random", plies = 2 }}

[[engines]]
name = "greedy"
command = ["{sys.executable}", "{ENGINES}/python-greedy/engine.py"]

[[engines]]
name = "random"
command = ["{sys.executable}", "{ENGINES}/python-random/engine.py"]
"""


def begin(schedule: Schedule, stored: GameScoreCounts) -> None:
    """Called once, with the schedule and the stored games."""
    print(f"{schedule.total} games, {stored.total()} of them stored")


def observe(event: TournamentEvent) -> None:
    """Called with each event."""
    if isinstance(event, GameEnded):
        print(f"game {event.pairing.number + 1}: {event.result.reason}")


def main(folder: Path) -> tuple[Standing, ...]:
    """Play the tournament in a folder; its games are in ``arena.db`` there."""
    file = folder / "example.toml"
    file.write_text(TOURNAMENT, encoding="utf-8")
    spec = load(file)
    trio.run(run_tournament, spec, begin, observe)
    store = Store.open(spec.database, create=False)
    try:
        table = standings(store.tally(tournament=spec.name)["quoridor"])
    finally:
        store.close()
    for place, row in enumerate(table, 1):
        print(f"{place}. {row.name}: {row.points:g} points in {row.games} games")
    return table


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(Path(folder))
