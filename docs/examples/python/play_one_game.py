"""Play one game of Quoridor between two engines, and say who won.

Make the engines first: ``arena new-engine alice --lang python --game quoridor``, and the same for ``bob``.
Then run ``python play_one_game.py alice bob``.
"""

import sys

import arena


def main(first: str, second: str) -> arena.GameRecord:
    """Play the game between the engines in two folders."""
    engines = [{"name": folder, "command": ["{python}", f"{folder}/engine.py"]} for folder in (first, second)]

    def show(ply: arena.Ply) -> None:
        print(f"player {ply.seat + 1} plays {ply.text}")

    record = arena.play_game("quoridor", engines, time_control="5+0.1", on_move=show)
    winners = [player.name for player in record.result.players if player.rank == 1]
    print(f"{record.result.reason} after {record.result.plies} plies; first: {', '.join(winners)}")
    return record


if __name__ == "__main__":
    main(*sys.argv[1:])
