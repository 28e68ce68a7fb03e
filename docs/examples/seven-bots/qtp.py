"""A bot that speaks QTP, which is GTP for Quoridor. It has the rules of arena, since QTP tells only moves."""

import sys

from choose import choose

from referee import game

RULES = game("quoridor")
COLORS = {"white": 1, "black": 2}


def played(square, direction=""):
    """Play a move; QTP names a wall after the square above the one that arena names."""
    column, row = square.lower()
    return position.play(position.parse_move(f"{column}{int(row) - bool(direction)}{direction[:1]}"))


for line in sys.stdin:
    word, *rest = line.split()
    answer = ""
    if word == "name":
        answer = "qtp"
    elif word == "clear_board":
        position = RULES.start()
    elif word in ("playmove", "playwall"):
        position = played(*rest[1:])
    elif word == "genmove":
        move = choose([str(move) for move in position.legal_moves()], COLORS[rest[0]], walls=0.4)
        position = position.play(position.parse_move(move))
        answer = move.upper()
        if len(move) == 3:
            direction = "horizontal" if move[2] == "h" else "vertical"
            answer = f"{move[0].upper()}{int(move[1]) + 1} {direction}"
    print(f"= {answer}\n", flush=True)
    if word == "quit":
        break
