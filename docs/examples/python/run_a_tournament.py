"""Run a tournament from Python, and read its tables from the database.

Make the engines first: ``arena new-engine alice --lang python --game quoridor``, and the same for ``bob``.
Then run ``python run_a_tournament.py alice bob``. A second run finds all games played.
"""

import sys

import arena


def main(*folders: str) -> dict[str, tuple[arena.Standing, ...]]:
    """Play the tournament between the engines in these folders; its games are in ``arena.db``."""
    summary = arena.run_tournament(
        {
            "name": "example",
            "game": "quoridor",
            "time_control": "10+0.1",
            "openings": {"kind": "random", "plies": 2},
            "engines": [
                {"name": folder, "command": ["{python}", f"{folder}/engine.py"]} for folder in folders
            ],
        },
        on_game=lambda result: print(f"game {result.id}: {result.reason}"),
        on_warning=lambda text: print(text, file=sys.stderr),
    )
    print(f"{summary.played} games played")
    with arena.open_database("arena.db") as database:
        standings = database.standings("example")
        ratings = database.ratings()
    for place, row in enumerate(standings["quoridor"], 1):
        print(f"{place}. {row.name}: {row.points:g} points in {row.games} games")
    for engine in ratings["quoridor"]:
        if engine.elo is None or engine.elo_error is None:
            continue  # none of its games is rated
        print(f"{engine.name}: Elo {engine.elo:.0f} ± {engine.elo_error:.0f}")
    return standings


if __name__ == "__main__":
    main(*sys.argv[1:])
