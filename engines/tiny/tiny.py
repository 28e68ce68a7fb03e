#!/usr/bin/env python3
"""Plays a random legal move. The hub lists the legal moves before each `go`."""

import random
import sys

moves: list[str] = []
for line in sys.stdin:
    match line.split():
        case ["ugi", *_]:
            print("id name tiny-python\nprotocol 1 legal\nugiok", flush=True)
        case ["isready", *_]:
            print("readyok", flush=True)
        case ["legal", *moves]:
            pass
        case ["legal+", *more]:
            moves += more
        case ["go", *_]:
            print("bestmove", random.choice(moves), flush=True)
        case ["quit", *_]:
            break
