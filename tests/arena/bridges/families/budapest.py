"""A bot of Budapest's course: numbers with spaces on standard input."""

import sys

numbers = (int(word) for line in sys.stdin for word in line.split())
players, me, size = (next(numbers) for _ in range(3))
pawns = [[next(numbers) for _ in range(3)] for _ in range(players)]
while next(numbers) > -1:
    pawns = [[next(numbers) for _ in range(3)] for _ in range(players)]
    walls = [[next(numbers) for _ in range(4)] for _ in range(next(numbers))]
    assert sum(left for *_, left in pawns) + len(walls) == 20
    x, y, left = pawns[me]
    down = 1 if me == 0 else -1
    steps = [(x, y + down), (x + 1, y), (x - 1, y), (x, y - down)]
    crossed = {
        (wall_x + add, wall_y) for wall_x, wall_y, upright, _ in walls for add in (0, 1) if not upright
    }
    beside = {(wall_x, wall_y + add) for wall_x, wall_y, upright, _ in walls for add in (0, 1) if upright}
    for to_x, to_y in steps:
        low = (min(x, to_x), min(y, to_y))
        free = low not in crossed if to_x == x else low not in beside
        if (
            free
            and 0 <= to_x < size
            and 0 <= to_y < size
            and [to_x, to_y] not in [pawn[:2] for pawn in pawns]
        ):
            print(to_x, to_y, flush=True)
            break
    else:
        print(0, 0, 1, flush=True)
