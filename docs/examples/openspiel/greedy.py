"""A greedy engine for games of OpenSpiel: it wins if it can, and leaves the opponent the fewest moves."""

from __future__ import annotations

from protocol.engine import Engine, Turn, run
from referee import Move, Position, game


class Greedy(Engine):
    """Looks one ply ahead."""

    name = "greedy"
    capabilities = ("fen",)

    def choose(self, turn: Turn) -> Move:
        """Return the first move with the highest value."""
        position = turn.replay(game(turn.game))

        def value(move: Move) -> float:
            return _value(position.play(move), position.turn)

        return max(position.legal_moves(), key=value)


def _value(position: Position, seat: int) -> float:
    outcome = position.outcome()
    if outcome is not None:
        return 0 if outcome.winner is None else 1000 if outcome.winner == seat else -1000
    return -sum(1 for _ in position.legal_moves())


if __name__ == "__main__":
    run(Greedy())
