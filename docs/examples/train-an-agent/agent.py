"""An engine for Rôdeurs: it plays to the position with the highest value: a sum of weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from arena.envs import Encoding
from protocol.engine import Engine, Turn, run
from referee import Move, Position

GAME = "rodeurs"
WEIGHTS = Path(__file__).with_name("weights.npy")
encoding = Encoding(GAME)
PAWNS = 3  # the first planes, one for each colour


def after_each(moves: list[Move], position: Position) -> np.ndarray:
    """Return the pawns after each move, a row of zeros and ones for each."""
    rows = [encoding.draw(position.play(move), position.turn, ())[:PAWNS].ravel() for move in moves]
    return np.array(rows, np.float32)


class Trained(Engine):
    """Looks one ply ahead with the weights of the seat to move."""

    games = (GAME,)
    capabilities = ("fen",)

    def prepare(self) -> None:
        """Load the weights."""
        if not WEIGHTS.exists():
            raise SystemExit("there are no weights yet: run train.py first")
        self.weights = np.load(WEIGHTS)

    def choose(self, turn: Turn) -> Move:
        """Return the move with the highest value."""
        position = turn.replay(encoding.rules)
        moves = list(position.legal_moves())
        values = after_each(moves, position) @ self.weights[position.turn]
        return moves[values.argmax()]


if __name__ == "__main__":
    run(Trained())
