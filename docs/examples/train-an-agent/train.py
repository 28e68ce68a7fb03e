"""Train the agent by games against itself: `python train.py 300` plays 300 games, and stores the weights."""

from __future__ import annotations

import sys

import numpy as np
from agent import PAWNS, WEIGHTS, after_each, encoding

RATE = 0.2  # the share of an error that is mended after a game
LOOKED_AT = 20  # the moves of a turn that are looked at, chosen at random; so the games differ

rng = np.random.default_rng(1)
weights = np.zeros((2, PAWNS * encoding.shape[1] * encoding.shape[2]), np.float32)
for number in range(1, int(sys.argv[1]) + 1):
    position = encoding.rules.start()
    visited = []
    while (outcome := position.outcome()) is None:
        moves = list(position.legal_moves())
        moves = [moves[number] for number in rng.permutation(len(moves))[:LOOKED_AT]]
        rows = after_each(moves, position)
        chosen = (rows @ weights[position.turn]).argmax()
        visited.append((position.turn, rows[chosen]))
        position = position.play(moves[chosen])
    for seat, row in visited:
        reward = 0 if outcome.winner is None else 1 if outcome.winner == seat else -1
        weights[seat] += RATE * (reward - row @ weights[seat]) / (row @ row) * row
    if number % 50 == 0:
        print(f"{number} games, the last one with {len(visited)} turns", flush=True)
np.save(WEIGHTS, weights)
