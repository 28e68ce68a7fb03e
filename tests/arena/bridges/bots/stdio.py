"""A bot of the kind of bridge:lines: a line with the legal moves, a line with its move. It chats, too."""

import sys
import time

for line in sys.stdin:
    what = sys.argv[1]
    if what == "crash":
        raise SystemExit("Segmentation fault of ann")
    if what == "sleep":
        print("Looking 90 plies deep", file=sys.stderr, flush=True)
        time.sleep(60)
    print("I think", flush=True)
    print("move", "Z9" if what == "illegal" else line.split()[-1].upper(), flush=True)
