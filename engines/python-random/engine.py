"""The smallest engine: it plays a random legal move of any game."""

from __future__ import annotations

import random

from protocol.engine import Engine, Turn, run


class Random(Engine):
    name = "random-py"
    author = "Leapfrog Arena"
    capabilities = ("legal",)

    def choose(self, turn: Turn) -> str:
        return random.choice(turn.legal)


if __name__ == "__main__":
    run(Random())
