"""Plays a random legal move. Change `choose`."""

import random

from protocol.engine import Engine, Turn, run


class Ann(Engine):
    name = "ann"

    def choose(self, turn: Turn) -> str:
        return random.choice(turn.legal)


run(Ann())
