"""A second implementation of Quoridor, with sets of coordinates. It shares no code.

The tests compare the fast rules with it. It is slow, but short enough to compare with the text of the rules.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

from tests.seeds import seeds

Square = tuple[int, int]  # column and row, both from 0
Wall = tuple[int, int, str]  # the lower left square that it touches, "h" or "v"

PLAYERS = {"quoridor": 2, "quoridor4": 4}
HANDS = {2: 10, 4: 5}
STEPS = [(0, 1), (0, -1), (1, 0), (-1, 0)]
EVERYWHERE = [(column, row) for row in range(9) for column in range(9)]
ON_BOARD = frozenset(EVERYWHERE)
WALL_PLACES = [(column, row, kind) for kind in "hv" for row in range(8) for column in range(8)]


def name(column: int, row: int) -> str:
    return "abcdefghi"[column] + str(row + 1)


def square(text: str) -> Square:
    return "abcdefghi".index(text[0]), int(text[1]) - 1


def is_goal(players: int, seat: int, place: Square) -> bool:
    column, row = place
    if players == 2:
        return row == (8, 0)[seat]
    return (row == 8, column == 8, row == 0, column == 0)[seat]


class Slow:
    """An immutable position."""

    def __init__(self, walls: set[Wall], pawns: list[Square], hands: list[int], turn: int) -> None:
        self.walls, self.pawns, self.hands, self.turn = walls, pawns, hands, turn
        self.players = len(pawns)
        self.fences: set[tuple[Square, Square]] = (
            set()
        )  # the two pairs of neighbours that each wall separates
        for column, row, kind in walls:
            for along in (0, 1):
                low = (column + along, row) if kind == "h" else (column, row + along)
                high = (low[0], row + 1) if kind == "h" else (column + 1, low[1])
                self.fences |= {(low, high), (high, low)}

    @classmethod
    def read(cls, game_id: str, text: str) -> Slow:
        across, upright, pawns, hands, turn = text.split("/")
        walls = {
            (*square(field.strip()[place:]), kind)
            for kind, field in (("h", across), ("v", upright))
            for place in range(0, len(field.strip()), 2)
        }
        position = cls(
            walls, [square(pawn) for pawn in pawns.split()], list(map(int, hands.split())), int(turn) - 1
        )
        assert position.players == PLAYERS[game_id]
        return position

    def __str__(self) -> str:
        fields = [
            "".join(name(c, r) for r in range(8) for c in range(8) if (c, r, kind) in self.walls)
            for kind in "hv"
        ]
        fields.append(" ".join(name(*pawn) for pawn in self.pawns))
        fields.append(" ".join(str(hand) for hand in self.hands))
        fields.append(str(self.turn + 1))
        return " ".join(" / ".join(fields).split())

    def barred(self, here: Square, there: Square) -> bool:
        """Whether a wall or the edge is between two neighbours. The second one may be off the board."""
        return there not in ON_BOARD or (here, there) in self.fences

    def has_path(self, seat: int) -> bool:
        seen = {self.pawns[seat]}
        waiting = [self.pawns[seat]]
        for here in waiting:
            if is_goal(self.players, seat, here):
                return True
            for across, up in STEPS:
                there = (here[0] + across, here[1] + up)
                if there not in seen and not self.barred(here, there):
                    seen.add(there)
                    waiting.append(there)
        return False

    def winner(self) -> int | None:
        for seat in range(self.players):
            if is_goal(self.players, seat, self.pawns[seat]):
                return seat
        return None

    def pawn_targets(self) -> set[Square]:
        here = self.pawns[self.turn]
        targets = set()
        for across, up in STEPS:
            next_to = (here[0] + across, here[1] + up)
            if self.barred(here, next_to):
                continue
            if next_to not in self.pawns:
                targets.add(next_to)
                continue
            behind = (next_to[0] + across, next_to[1] + up)
            if not self.barred(next_to, behind):
                if behind not in self.pawns:
                    targets.add(behind)
                continue
            for beside in [(next_to[0] + up, next_to[1] + across), (next_to[0] - up, next_to[1] - across)]:
                if not self.barred(next_to, beside) and beside not in self.pawns:
                    targets.add(beside)
        return targets

    def wall_fits(self, wall: Wall) -> bool:
        column, row, kind = wall
        if (column, row, "h") in self.walls or (column, row, "v") in self.walls:
            return False
        if kind == "h":
            return (column - 1, row, "h") not in self.walls and (column + 1, row, "h") not in self.walls
        return (column, row - 1, "v") not in self.walls and (column, row + 1, "v") not in self.walls

    def wall_allowed(self, wall: Wall) -> bool:
        if not self.wall_fits(wall):
            return False
        after = Slow(self.walls | {wall}, self.pawns, self.hands, self.turn)
        return all(after.has_path(seat) for seat in range(self.players))

    def moves(self) -> list[str]:
        """The text of every legal move."""
        if self.winner() is not None:
            return []
        texts = [name(*target) for target in self.pawn_targets()]
        if self.hands[self.turn] > 0:
            texts += [
                name(*place) + kind for *place, kind in WALL_PLACES if self.wall_allowed((*place, kind))
            ]
        return texts or ["pass"]

    def play(self, text: str) -> Slow:
        """The position after a legal move."""
        walls, pawns, hands = set(self.walls), list(self.pawns), list(self.hands)
        if text != "pass":
            if len(text) == 2:
                pawns[self.turn] = square(text)
            else:
                walls.add((*square(text), text[2]))
                hands[self.turn] -= 1
        return Slow(walls, pawns, hands, (self.turn + 1) % self.players)

    def successors(self) -> dict[str, str]:
        return {text: str(self.play(text)) for text in self.moves()}

    def result(self) -> tuple[tuple[int, ...], str] | None:
        winner = self.winner()
        if winner is None:
            return None
        return tuple(1 if seat == winner else 2 for seat in range(self.players)), "goal"


def random_position(rng: random.Random, players: int) -> Slow:
    """A random unfinished position, usually with many walls and with pawns next to each other."""
    while True:
        column, row = rng.randrange(9), rng.randrange(9)
        close = [(c, r) for c, r in EVERYWHERE if abs(c - column) + abs(r - row) <= 2]
        pawns = rng.sample(close if rng.random() < 0.7 else EVERYWHERE, players)
        position = Slow(set(), pawns, [0] * players, rng.randrange(players))
        if position.winner() is None:
            break
    for wall in _random_walls(rng, close):
        if len(position.walls) < 20 and position.wall_allowed(wall):
            position = Slow(position.walls | {wall}, pawns, position.hands, position.turn)
    for _ in range(20 - len(position.walls)):
        seat = rng.choice([seat for seat in range(players) if position.hands[seat] < HANDS[players]])
        position.hands[seat] += 1
    return position


def _random_walls(rng: random.Random, close: list[Square]) -> Iterator[Wall]:
    """Random places for walls: some next to the pawns, the others anywhere."""
    for _ in range(rng.randrange(60)):
        column, row = rng.choice(close if rng.random() < 0.3 else EVERYWHERE)
        if column < 8 and row < 8:
            yield column, row, rng.choice("hv")


def crowded(players: int) -> list[str]:
    """Random positions with many walls and pawns that meet. Random games rarely have both."""
    return [str(random_position(random.Random(seed), players)) for seed in seeds(20)]


@cache
def special() -> dict[str, list[str]]:
    return {
        "quoridor": [
            "/ / e8 e9 / 10 10 / 1",  # the edge behind the pawn: two ways to win
            "/ / d9 e2 / 10 10 / 2",  # won, by each player
            "/ / e8 f1 / 10 10 / 1",
            "a8c8g8 / d1e1 / e1 e2 / 8 7 / 1",  # a corridor of one square's width
            "a1c1e1g1a3c3e3g3a5c5e5g5a7c7e7g7 / h2h4h6 / e1 i9 / 0 1 / 1",  # one long way, and no walls
            "a1c1e1g1a3c3e3g3a5c5e5g5a7c7e7g7 / h2h4h6 / e1 i9 / 0 1 / 2",
            "/ / a1 e9 / 10 10 / 1",
            "e4d5 / e5 / e5 b9 / 9 8 / 1",
            "/ / e4 e5 / 10 10 / 1",
            "/ / e5 e4 / 10 10 / 1",
            "/ / e5 f5 / 10 10 / 2",
            "e5 / / e4 e5 / 9 10 / 1",
            "d5 / / e4 e5 / 9 10 / 1",
            "e5 / d5 / e4 e5 / 9 9 / 1",
            "d5 / d4e5 / e4 e5 / 9 8 / 1",
            "/ d5 / e4 e5 / 10 9 / 1",
            "e4 / / e4 e5 / 9 10 / 1",
            "/ / e2 d2 / 10 10 / 2",
            "/ / a5 b5 / 10 10 / 2",
            "/ a5 / i2 h2 / 10 9 / 2",
            "/ / a8 a9 / 10 10 / 1",
            "e3 / / e1 e9 / 9 10 / 1",
            "a2 / / e1 e9 / 9 10 / 1",
            "a3c3e3 / / e1 e9 / 7 10 / 1",
            "a3c3e3 / / e1 i3 / 7 10 / 1",
            "/ / d8 e2 / 10 10 / 2",
            "/ / e3 e2 / 10 10 / 1",
            "/ / e7 e8 / 10 10 / 1",
            *crowded(2),
        ],
        "quoridor4": [
            "a8c8g8 / d1e1 / e1 e2 e3 i5 / 0 5 5 5 / 1",  # the pawn is behind two pawns: a pass
            "a8c8 / d1e1 / e1 e2 e3 i5 / 1 5 5 5 / 1",  # the pawn cannot move, but a wall is left
            "e5 / / e4 e5 e6 b8 / 4 5 5 5 / 1",  # a wall, then a pawn
            "/ / e8 e9 d9 h5 / 5 5 5 5 / 1",  # the edge behind the pawn, and a pawn beside it
            "/ / e9 a5 e5 i5 / 5 5 5 5 / 2",  # won, by each seat
            "/ / e1 i5 e9 h4 / 5 5 5 5 / 4",
            "/ / d8 b5 c1 h6 / 5 5 5 5 / 4",
            "/ / e2 b4 e8 a5 / 5 5 5 5 / 1",
            *crowded(4),
        ],
    }


def __getattr__(name: str) -> dict[str, list[str]]:
    """Make ``SPECIAL`` when it is first asked for: it takes longer than the import of all the rest."""
    if name != "SPECIAL":
        raise AttributeError(name)
    return special()
