"""A bot of the cup of Athens: QTP, with whole words for the walls of others, and a letter for its own."""

import sys

pawns, walls = {}, set()


def neighbours(column, row):
    for right, up in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        wall = (min(column, column + right), max(row, row + up), "h" if up else "v")
        other = (wall[0] - 1, wall[1], "h") if up else (wall[0], wall[1] + 1, "v")
        place = (column + right, row + up)
        if 0 <= place[0] < 9 and 1 <= place[1] <= 9 and not {wall, other} & walls:
            yield place


def step(color):
    """Return the first step of a shortest path; a jump if the other pawn is on it."""
    goal = 9 if color == "white" else 1
    other = pawns["black" if color == "white" else "white"]
    paths = [[pawns[color]]]
    seen = {pawns[color]}
    for path in paths:
        if path[-1][1] == goal:
            break
        for place in neighbours(*path[-1]):
            if place not in seen and not (place == other and place[1] != goal and len(path) > 1):
                seen.add(place)
                paths.append([*path, place])
    if path[1] != other:
        return path[1]
    (column, row), (from_column, from_row) = other, pawns[color]
    straight = (2 * column - from_column, 2 * row - from_row)
    jumps = list(neighbours(column, row))
    return straight if straight in jumps else next(jump for jump in jumps if jump != pawns[color])


def name(column, row):
    return f"{'ABCDEFGHI'[column]}{row}"


for line in sys.stdin:
    word, *rest = line.split() or [""]
    answer = {"name": "Toy of Athens", "version": "9"}.get(word, "")
    place = ("ABCDEFGHI".index(rest[1][0]), int(rest[1][1])) if len(rest) > 1 else None
    if word == "clear_board":
        pawns = {"white": (4, 1), "black": (4, 9)}
        walls = set()
    if word == "playmove":
        pawns[rest[0]] = place
    if word == "playwall":
        assert rest[2] in ("horizontal", "vertical"), line
        walls.add((*place, rest[2][0]))
    if word == "genmove" and not walls:
        walls.add((0, 5, "h"))
        answer = "A5 H"
    elif word == "genmove":
        pawns[rest[0]] = step(rest[0])
        answer = name(*pawns[rest[0]])
    print(f"= {answer}\n", flush=True)
    if word == "quit":
        break
