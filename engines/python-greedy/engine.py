"""A greedy engine: it looks one ply ahead and plays the move with the best lead over its best rival."""

from __future__ import annotations

import random

from evaluation import PROGRESS

from protocol.engine import Engine, Turn, run
from referee import Position, game

WON, DRAWN, LOST = 1000.0, 0.0, -1000.0


class Greedy(Engine):
    name = "greedy-py"
    author = "Leapfrog Arena"
    games = tuple(PROGRESS)
    capabilities = ("fen",)

    def choose(self, turn: Turn) -> str:
        rules = game(turn.game)
        position = turn.replay(rules)
        seat = position.turn
        rivals = [other for other in range(rules.info.players) if other not in turn.removed | {seat}]
        values = {
            move: value(turn.game, position.play(move), seat, rivals) for move in position.legal_moves()
        }
        best = max(values.values())
        turn.info(depth=1, score_cp=round(100 * best), nodes=len(values))
        return str(random.choice([move for move, move_value in values.items() if move_value == best]))


def value(game_id: str, position: Position, seat: int, rivals: list[int]) -> float:
    """The value of a position for ``seat``. A won game has the highest value."""
    outcome = position.outcome()
    if outcome is not None:
        return DRAWN if outcome.winner is None else WON if outcome.winner == seat else LOST
    progress = PROGRESS[game_id]
    return progress(position, seat) - max(progress(position, rival) for rival in rivals)


if __name__ == "__main__":
    run(Greedy())
