"""A bot of the kind of bridge:gtp, with the words of QTP: it walks along a line."""

import re
import sys
import time

COMMANDS = [
    *("name", "version", "quit", "boardsize 9", "clear_board", "walls 10"),
    *("playmove (white|black) [A-I][1-9]", "playwall (white|black) [A-H][1-8] [hv]", "genmove (white|black)"),
]
START = {"white": ["D1"], "black": ["F9"]}
places: dict[str, list[str]] = {}


def answer(text: str, sign: str = "=") -> None:
    print(f"{sign} {text}\n", flush=True)


for line in map(str.strip, sys.stdin):
    print(line, file=sys.stderr, flush=True)
    if not any(re.fullmatch(command, line) for command in COMMANDS):
        answer(f"unknown command {line}", "?")
        continue
    word, *rest = line.split()
    if word == "clear_board":
        places = {color: [] for color in START}
    if word == "playmove":
        places[rest[0]].append(rest[1])
    if word != "genmove":
        answer({"name": "Toy", "version": "1.5"}.get(word, ""))
    elif sys.argv[1] == "crash":
        raise SystemExit("Segmentation fault of ann")
    elif sys.argv[1] == "illegal":
        answer("Z9")
    elif sys.argv[1] == "sleep":
        print("Looking 90 plies deep", file=sys.stderr, flush=True)
        time.sleep(60)
    else:
        color = rest[0]
        own = places[color]
        step = 1 if color == "white" else -1
        move = f"{own[-1][0]}{int(own[-1][1]) + step}" if own else START[color][0]
        own.append(move)
        answer(move)
    if word == "quit" and sys.argv[1] == "stay":
        time.sleep(60)
    if word == "quit":
        break
