"""A second implementation of Rôdeurs, with dictionaries of squares and all jumps. It shares no code.

The tests compare the fast rules with it. It is slow, but short enough to compare with the text of the rules.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

COLUMNS = "abcdefg"
ROWS = "123456789"
SQUARES = [column + row for row in ROWS for column in COLUMNS]
GREY = [column + "5" for column in COLUMNS]
ORTHOGONAL = [(0, 1), (0, -1), (1, 0), (-1, 0)]
DIRECTIONS = {
    "rodeurs": ORTHOGONAL,
    "rodeurs-diagonal": [*ORTHOGONAL, (1, 1), (1, -1), (-1, 1), (-1, -1)],
}
POINTS = {"g": 1, "y": 2, "r": 3}
ANY_CHAIN = (
    4  # every chain with up to this many jumps is tried; longer chains only while they reach new states
)


def away(square: str, across: int, up: int) -> str | None:
    """The square at this distance, or None if it is off the board."""
    column, row = COLUMNS.index(square[0]) + across, ROWS.index(square[1]) + up
    return COLUMNS[column] + ROWS[row] if 0 <= column < 7 and 0 <= row < 9 else None


def read_board(text: str) -> dict[str, str]:
    """The letter on each square that has one."""
    board = {}
    for row, line in zip(reversed(ROWS), text.split("/"), strict=True):
        cells = "".join("." * int(letter) if letter.isdigit() else letter for letter in line)
        board |= {column + row: letter for column, letter in zip(COLUMNS, cells, strict=True)}
    return {square: letter for square, letter in board.items() if letter != "."}


def write_board(board: dict[str, str]) -> str:
    lines = ("".join([board.get(column + row, ".") for column in COLUMNS]) for row in reversed(ROWS))
    return "/".join(map(shortened, lines))


@cache
def shortened(line: str) -> str:
    for gap in range(7, 0, -1):
        line = line.replace("." * gap, str(gap))
    return line


class Slow:
    """A position: the colours of all squares, the colours of the pawns by square, and the player to move.

    ``written`` is the text of the squares' colours, which do not change in a game.
    """

    def __init__(
        self, game_id: str, squares: dict[str, str], pawns: dict[str, str], player: int, written: str = ""
    ) -> None:
        self.game_id, self.squares, self.pawns, self.player = game_id, squares, pawns, player
        self.written = written or write_board(squares)

    @classmethod
    def read(cls, game_id: str, text: str) -> Slow:
        squares, pawns, player = text.split()
        return cls(game_id, read_board(squares), read_board(pawns), int(player))

    def __str__(self) -> str:
        return f"{self.written} {write_board(self.pawns)} {self.player}"

    def jumps(self, pawns: dict[str, str], square: str) -> Iterator[tuple[str, dict[str, str]]]:
        """The landings of one jump of the pawn on a square, each with the pawns after the jump."""
        for across, up in DIRECTIONS[self.game_id]:
            over, landing = away(square, across, up), away(square, 2 * across, 2 * up)
            if over in pawns and landing is not None and landing not in pawns:
                rest = {other: pawn for other, pawn in pawns.items() if other not in (square, over)}
                yield landing, {**rest, landing: pawns[square]}

    def successors(self) -> dict[str, Slow]:
        """Legal texts with their successors: single jumps, all turns of two pawns, and very many chains."""
        pawns_after = {}
        single = [
            (square, landing, after)
            for square in self.pawns
            for landing, after in self.jumps(self.pawns, square)
        ]
        for start, landing, after in single:
            pawns_after[start + landing] = after
        if len(self.pawns) < 56:
            for start, landing, after in single:
                for second in after:
                    if second != landing:  # the pawn there is the pawn that has just jumped
                        for end, at_last in self.jumps(after, second):
                            pawns_after[f"{start}{landing},{second}{end}"] = at_last
            pawns_after |= self.chains(single)
        return {
            text: Slow(self.game_id, self.squares, after, 3 - self.player, self.written)
            for text, after in pawns_after.items()
        }

    def chains(self, single: list[tuple[str, str, dict[str, str]]]) -> dict[str, dict[str, str]]:
        """The texts of two jumps or more by one pawn, each with the pawns after them."""
        pawns_after = {}
        chains = [([start, landing], after) for start, landing, after in single]
        while chains:
            longer = []
            seen = set()
            for path, pawns in sorted(chains, key=lambda chain: chain[0]):
                for landing, after in sorted(self.jumps(pawns, path[-1]), key=lambda jump: jump[0]):
                    state = (landing, frozenset(after.items()))
                    if len(path) > ANY_CHAIN and state in seen:
                        continue
                    seen.add(state)
                    longer.append(([*path, landing], after))
                    pawns_after["".join([*path, landing])] = after
            chains = longer
        return pawns_after

    def result(self) -> tuple[tuple[int, int], str] | None:
        """Fewer points win, then fewer red pawns, then fewer yellow pawns. None if a pawn can jump."""
        if any(True for square in self.pawns for _ in self.jumps(self.pawns, square)):
            return None
        quarters = [
            [pawn for square, pawn in self.pawns.items() if self.squares[square] == colour] for colour in "wb"
        ]
        comparisons = [
            ("points", [sum(POINTS[pawn] for pawn in quarter) for quarter in quarters]),
            ("reds", [quarter.count("r") for quarter in quarters]),
            ("yellows", [quarter.count("y") for quarter in quarters]),
        ]
        for reason, (own, other) in comparisons:
            if own != other:
                return ((1, 2) if own < other else (2, 1)), reason
        return (1, 1), "equal"


LIGHT = "wbwbwbw/bwbwbwb/wbwbwbw/bwbwbwb/-------/wbwbwbw/bwbwbwb/wbwbwbw/bwbwbwb"
"""The default square colours."""


def placed(pawns: str, player: int = 1) -> str:
    """The position string for pawns such as ``gc3 yc4``, on the default squares."""
    return f"{LIGHT} {write_board({pawn[1:]: pawn[0] for pawn in pawns.split()})} {player}"


def random_position(rng: random.Random) -> str:
    """A random position string with few pawns or many, anywhere or close together."""
    squares = dict.fromkeys(GREY, "-")
    for square in SQUARES[:28]:
        colours = rng.choice(["wb", "bw"])
        squares |= {square: colours[0], square[0] + str(10 - int(square[1])): colours[1]}
    count = rng.choice([1, 2, 3, 4, 6, 8, 12, 20, 30, 40, 50, 53])
    first = rng.randrange(64 - count)
    places = SQUARES[first : first + count + 9] if rng.random() < 0.5 else SQUARES
    letters = rng.choice(["g", "gy", "gyr", "gyyr", "ggr"])
    pawns = {square: rng.choice(letters) for square in rng.sample(places, count)}
    return str(Slow("rodeurs", squares, pawns, rng.choice([1, 2])))


MIRRORED = "yyyyyyy/rrrrrrr/ggggggg/rygrygr/7/rygrygr/ggggggg/rrrrrrr/yyyyyyy"
SPECIAL_OF_BOTH = [
    f"{LIGHT} {MIRRORED} 1",  # another start: the first turn is one jump
    f"{LIGHT} yyyyyyy/rrrrrrr/ggggggg/rygrygr/2g4/ry1rygr/gg1gggg/rrrrrrr/yyyyyyy 2",  # after it
    f"{LIGHT} yyyyyyy/rrrrrrr/gg1gggg/ry1rygr/7/ryrrygr/gg1gggg/rrrrrrr/yyyyyyy 1",  # two pawns are missing
    placed("gc3 yc4", 1),  # one pair, two jumps
    placed("gc3 yc4", 2),
    placed("gc3 yc4 rb5", 1),  # the second pawn jumps the first one where it has landed
    placed("gc3 yc4 re3 gd3", 1),  # the second pawn lands where the first one started
    placed("gc3 yc4 re4", 1),  # after the first jump, the pawn on e4 has no pawn to jump
    placed("gc3 yc4 rc6 gc7", 1),  # either pawn may jump, but not both: they have the same landing
    placed("ga1 gb1 gb2 gc2 gd3", 1),
    placed("ga9 yb9 rf9 gg9 ya1 gb1 rf1 yg1", 2),  # corners and edges
    placed("gg3 ya4", 1),  # the numbers are neighbours, but the squares are not
    placed("gg3 ya5 rg5 ya7", 2),
    placed("ga5 yb5 rf5 gg5", 1),  # the grey row alone
    placed("gd5 ye6", 1),  # finished without diagonal jumps; with them, one pair can jump
    placed("ga1 yb2", 2),  # the corner: one of the two cannot jump
    placed("gd8 yd7 re6 yf7 re8", 1),  # a chain back to where it started, both ways round
    placed("yc3 gb3 ya4 yb5 ya6 yb7 gc6 yd5", 1),  # chains over squares twice visited
    placed("ga1 ya2 rb3 yc2 gd1 re2 yf3 rg4 yf5 ge4 yd5 rc6 yb5 ra6 yb7 rc8", 2),  # a long way
    placed("ga1 yb1 rd1 yf1 gg2 yg4 rg6 yg8 gf9 yd9 rb9", 1),  # round the border
    placed("gb2 gb3 gc2 gc3 gd4", 1),
    placed("gc3 yc4 yd5 yd3 ye4", 1),  # either way round a corner
    placed("gc3 yc4 yd5 yd3 re4", 1),  # and with pawns of another colour
    placed("ga1 ya2 gg1 yg2", 1),
    placed("ga1", 1),  # the last pawn
    placed("ga5 rg5", 2),  # on the grey row, so it counts for neither player
    placed("gb1 ra1 yc3 ge5", 1),  # one jump is left
    placed("rc9 gc1 yg1 rd5", 2),  # equal points, more reds in player 1's quarter
    placed("ga9 ye9 rc1 gd5", 1),  # and in player 2's
    placed("yc9 ga1 ge1", 2),  # equal points and reds, more yellows in player 1's quarter
    placed("ra9 gc9 gg9 yc1 re1", 1),  # and in player 2's
    placed("ga9 yc9 re9 ga1 yc1 re1 gc5", 1),  # equal in every colour
]
SPECIAL = {
    "rodeurs": SPECIAL_OF_BOTH,
    "rodeurs-diagonal": [
        *SPECIAL_OF_BOTH,
        placed("gc5 gd7 gd5 gd6", 2),
        placed("gd3 ge4 gd4 ye5 yd6 ye6", 2),  # two pawns whose chains lead to the same position
        placed("gd5 gc8 gb8 gc6 gb6 gc9", 2),
    ],
}
