"""A bot that reads lines and prints lines: PLAYER MOVE MOVE ..."""

import sys

from choose import choose

for line in sys.stdin:
    player, *legal = line.split()
    print("I have", len(legal), "moves", flush=True)
    print("move", choose(legal, int(player), walls=0.2), flush=True)
