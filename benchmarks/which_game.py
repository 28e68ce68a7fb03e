"""Compare the games by the games of a database: length, choice of moves, and share of the first player.

The table of docs/games/index.md has these numbers, from the tournament engines/first-player.toml:

    make engines
    arena run engines/first-player.toml
    .venv/bin/python benchmarks/which_game.py first-player.db
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Sequence
from statistics import mean

import arena
from referee import game


def main(path: str) -> None:
    """Print a row for each game id: plies, legal moves of a position, and points of the first player."""
    plies: dict[str, list[int]] = defaultdict(list)
    moves: dict[str, list[int]] = defaultdict(list)
    points: dict[str, list[float]] = defaultdict(list)
    with arena.open_database(path) as database:
        for result in database.results():
            assert result.id is not None
            record = database.game(result.id)
            position = game(result.game).start()
            for move in record.opening.moves:
                position = position.play(position.parse_move(move))
            for ply in record.record:
                moves[result.game].append(sum(1 for _ in position.legal_moves()))
                position = position.play(position.parse_move(ply.text))
            plies[result.game].append(len(record.opening.moves) + len(record.record))
            points[result.game].append(share([player.rank or 0 for player in result.players]))
    for name, lengths in plies.items():
        print(f"| `{name}` | {mean(lengths):.0f} | {mean(moves[name]):.0f} | {mean(points[name]):.0%} |")


def share(ranks: Sequence[int]) -> float:
    """Return the share of its opponents that the first player has beaten; an equal rank is half of one."""
    first, *others = ranks
    return mean(1.0 if first < rank else 0.5 if first == rank else 0.0 for rank in others)


if __name__ == "__main__":
    main(sys.argv[1])
