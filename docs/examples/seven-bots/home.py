"""A bot that speaks the protocol of arena, and thinks for a tenth of a second about each move."""

import time

from choose import choose

from protocol.engine import Engine, run


class Home(Engine):
    def choose(self, turn):
        time.sleep(0.1)
        return choose(turn.legal, turn.seat + 1, walls=0.25)


run(Home())
