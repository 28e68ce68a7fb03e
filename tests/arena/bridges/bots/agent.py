"""A bot of the kind of bridge:class. What it prints would break the wire."""

import subprocess
import sys
import time


class Agent:
    def __init__(self, number, what="play"):
        print("bestmove a1")
        self.number, self.what = number, what

    def select(self, state, legal, /, *, player, left, step):
        print("bestmove a1")
        subprocess.run([sys.executable, "-c", "print('bestmove a1')"], check=True)
        assert player == self.number == step % 2 + 1
        assert 0 < left < 100
        assert sorted(map(str, state.legal_moves())) == sorted(legal)
        return legal[-1]


class Crash(Agent):
    def select(self, *_, **__):
        raise RuntimeError("Segmentation fault of ann")


class Illegal(Agent):
    def select(self, *_, **__):
        return "Z9"


class Resign(Agent):
    def select(self, *_, **__):
        return "Resign"


class Sleep(Agent):
    def select(self, *_, **__):
        print("Looking 90 plies deep")
        time.sleep(60)
