"""Looks one ply ahead: the move after which its own way is shortest compared with the nearest opponent's."""

from __future__ import annotations

import random

from protocol.engine import Engine, Turn, run
from referee import game
from referee.games.quoridor import QuoridorPosition

ROW_1 = (1 << 9) - 1  # squares are bits, a1 the lowest and i1 the ninth
COLUMN_A = sum(1 << 9 * row for row in range(9))
GOALS = {
    2: (ROW_1 << 72, ROW_1),
    4: (ROW_1 << 72, COLUMN_A << 8, ROW_1, COLUMN_A),
}
THERE = 99


def distance(position: QuoridorPosition, seat: int) -> int:
    """How many steps the pawn of ``seat`` needs if no other pawn is in its way."""
    goal = GOALS[len(position.pawns)][seat]
    seen = front = 1 << position.pawns[seat]
    steps = 0
    while not front & goal:
        front = position.walls.near(front) & ~seen
        seen |= front
        steps += 1
    return steps


def lead(position: QuoridorPosition, seat: int, rivals: list[int]) -> int:
    """By how many steps ``seat`` is ahead of the nearest of its rivals; nothing beats being there."""
    own = distance(position, seat)
    return min(distance(position, rival) for rival in rivals) - own if own else THERE


class Greedy(Engine):
    name = "greedy-py"
    author = "Leapfrog Arena"
    games = ("quoridor", "quoridor4")
    capabilities = ("fen",)

    def choose(self, turn: Turn) -> str:
        position = turn.replay(game(turn.game))
        assert isinstance(position, QuoridorPosition)
        seat = position.turn
        rivals = [
            other for other in range(len(position.pawns)) if other != seat and other not in turn.removed
        ]
        leads = {move: lead(position.play(move), seat, rivals) for move in position.legal_moves()}
        best = max(leads.values())
        turn.info(depth=1, score_cp=100 * best, nodes=len(leads))
        return str(random.choice([move for move, value in leads.items() if value == best]))


if __name__ == "__main__":
    run(Greedy())
