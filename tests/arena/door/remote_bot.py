"""A bot that plays the first legal move after some seconds: ``python remote_bot.py SECONDS [WHAT]``.

At its third move it may do something else: ``crash``, ``flood``, ``line`` (a line without end) or ``silent``.
"""

import sys
import time

seconds, what = float(sys.argv[1]), (*sys.argv[2:], "")[0]
legal: list[str] = []
moves = 0
for line in sys.stdin:
    words = line.split()
    match words[0]:
        case "ugi":
            print("id name bot\nprotocol 1 legal\nugiok", flush=True)
        case "isready":
            print("readyok", flush=True)
        case "legal":
            legal = words[1:]
        case "go":
            moves += 1
            if moves == 3 and what == "crash":
                raise SystemExit("no more ideas")
            if moves == 3 and what:
                while what != "silent":
                    print("x" * 60_000, end="\n" if what == "flood" else "", flush=True)
                time.sleep(600)
            time.sleep(seconds)
            print("bestmove", legal[len(legal) // 2], flush=True)
        case "quit":
            break
