"""OpenSpiel's own bot, Monte Carlo tree search with random games, as an engine for each of its games."""

from __future__ import annotations

import random

import pyspiel

from protocol.engine import Engine, Spin, Turn, run
from referee import Move, game


class Mcts(Engine):
    """Searches the same number of games for each move."""

    name = "mcts"
    capabilities = ("fen",)
    options = (Spin("Simulations", 200, 2, 1_000_000),)

    def choose(self, turn: Turn) -> Move:
        """Return the move that the bot takes in the state of OpenSpiel."""
        position = turn.replay(game(turn.game))
        evaluator = pyspiel.RandomRolloutEvaluator(1, random.getrandbits(31))
        rules, count = position.state.get_game(), self.settings["Simulations"]
        bot = pyspiel.MCTSBot(rules, evaluator, 2.0, count, 100, True, random.getrandbits(31), False)
        action = bot.step(position.state)
        return next(move for move in position.legal_moves() if move.action == action)


if __name__ == "__main__":
    run(Mcts())
