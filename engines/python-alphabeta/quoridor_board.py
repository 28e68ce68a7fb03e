"""The fast rules of Quoridor for the search: squares as bits, paths as layers, and only promising walls.

A square is a number from 0 (a1) to 80 (i9), and a set of squares is an int. `north` contains the squares from
which the step up is open, and `east` the squares from which the step right is open. A move is an int: a
square is the target of the pawn, ACROSS or UPRIGHT plus an anchor is a wall, and PASS is a pass. The anchor
of a wall is the square nearest a1 that the wall touches.
"""

from __future__ import annotations

import random

ACROSS, UPRIGHT, PASS = 100, 200, 300
NAMES = [f"{column}{row}" for row in range(1, 10) for column in "abcdefghi"]
SQUARES = {name: square for square, name in enumerate(NAMES)}
BIT = [1 << square for square in range(81)]
BOARD = (1 << 81) - 1
ROW_1 = (1 << 9) - 1
COLUMN_A = sum(BIT[9 * row] for row in range(9))
ANCHORS = sum(BIT[9 * row + column] for row in range(8) for column in range(8))
GOALS = {2: (ROW_1 << 72, ROW_1), 4: (ROW_1 << 72, COLUMN_A << 8, ROW_1, COLUMN_A)}
MAX_CACHED = 40_000  # sets of walls in memory, about 1.5 kB each
STARTS = {2: "/ / e1 e9 / 10 10 / 1", 4: "/ / e1 a5 e9 i5 / 5 5 5 5 / 1"}

_rng = random.Random(9)
# Zobrist keys: by seat and move. The keys of walls are in the list of the first seat.
_KEYS = [[_rng.getrandbits(60) for _ in range(301)] for _ in range(4)]
_HAND_KEYS = [[_rng.getrandbits(60) for _ in range(11)] for _ in range(4)]
_TURN_KEYS = [_rng.getrandbits(60) for _ in range(4)]


def move_text(move: int) -> str:
    """The text of a move."""
    if move == PASS:
        return "pass"
    return NAMES[move % 100] + ("", "h", "v")[move // 100]


def read_move(text: str) -> int:
    """The move for a text."""
    if text == "pass":
        return PASS
    return SQUARES[text[:2]] + {"": 0, "h": ACROSS, "v": UPRIGHT}[text[2:]]


def squares(bits: int) -> list[int]:
    """The squares in a set, in ascending order."""
    numbers = []
    while bits:
        lowest = bits & -bits
        numbers.append(lowest.bit_length() - 1)
        bits ^= lowest
    return numbers


class Walls:
    """A set of walls. Positions with the same walls share one object, so they share its layers.

    Args:
        cache: the sets that exist, by key; one dict for a whole search.
    """

    __slots__ = ("_cache", "_goals", "_layers", "east", "horizontal", "key", "north", "vertical")

    def __init__(
        self, horizontal: int, vertical: int, key: int, goals: tuple[int, ...], cache: dict[int, Walls]
    ) -> None:
        self.horizontal, self.vertical, self.key = horizontal, vertical, key
        self.north = BOARD >> 9 & ~(horizontal | horizontal << 1)
        self.east = BOARD & ~(COLUMN_A << 8) & ~(vertical | vertical << 9)
        self._goals, self._cache = goals, cache
        self._layers: list[list[int] | None] = [None] * len(goals)

    def add(self, move: int) -> Walls:
        """These walls and another wall, which must not overlap or cross them."""
        key = self.key ^ _KEYS[0][move]
        child = self._cache.get(key)
        if child is None:
            bit = BIT[move % 100]
            across, upright = (bit, 0) if move < UPRIGHT else (0, bit)
            child = Walls(self.horizontal | across, self.vertical | upright, key, self._goals, self._cache)
            if len(self._cache) < MAX_CACHED:
                self._cache[key] = child
        return child

    def layers(self, seat: int) -> list[int]:
        """Sets of squares by distance from the seat's goal. The first is the goal, the last is empty."""
        layers = self._layers[seat]
        if layers is None:
            north, east = self.north, self.east
            seen = front = self._goals[seat]
            layers = [front]
            while front:
                front = (
                    (front & north) << 9 | front >> 9 & north | (front & east) << 1 | front >> 1 & east
                ) & ~seen
                seen |= front
                layers.append(front)
            self._layers[seat] = layers
        return layers

    def distance(self, seat: int, pawn: int) -> int:
        """The steps from a square to the seat's goal, without regard to pawns; -1 if there is no path."""
        bit = BIT[pawn]
        for steps, layer in enumerate(self.layers(seat)):
            if layer & bit:
                return steps
        return -1

    def cutting(self, seat: int, pawn: int, *, wide: bool) -> tuple[int, int]:
        """The anchors of walls that lengthen the path of ``seat``. Not all of them are placeable.

        It follows all shortest paths together, from the pawn to the goal. If they all pass through one
        gap or two neighbouring gaps, a single wall blocks them. With ``wide``, where the paths pass
        through at most four gaps, it adds every wall that blocks one of them: a second wall may block the
        others.
        """
        north, east, layers = self.north, self.east, self.layers(seat)
        here = BIT[pawn]
        across = upright = 0
        for steps in range(self.distance(seat, pawn) - 1, -1, -1):
            ahead = layers[steps]
            up, down = here & north & ahead >> 9, here >> 9 & north & ahead
            right, left = here & east & ahead >> 1, here >> 1 & east & ahead
            here = up << 9 | down | right << 1 | left
            rows, columns = up | down, right | left
            gaps = rows.bit_count() + columns.bit_count()
            if gaps == 1 or (wide and gaps <= 4):
                across |= rows | rows >> 1
                upright |= columns | columns >> 9
            elif gaps == 2:
                across |= rows & rows >> 1
                upright |= columns & columns >> 9
        return across, upright


class Board:
    """An immutable position.

    Attributes:
        walls: the walls on the board.
        pawns, hands: the squares of the pawns and the numbers of walls left, by seat.
        turn: the seat to move.
        key: a hash of the walls, the pawns, the hands and the turn.
        out: the seats that the referee has removed. They do not move.
    """

    __slots__ = ("hands", "key", "out", "pawns", "turn", "walls")

    def __init__(
        self,
        walls: Walls,
        pawns: tuple[int, ...],
        hands: tuple[int, ...],
        turn: int,
        key: int,
        out: frozenset[int],
    ) -> None:
        self.walls, self.pawns, self.hands, self.turn, self.key, self.out = (
            walls,
            pawns,
            hands,
            turn,
            key,
            out,
        )

    @classmethod
    def parse(cls, text: str, cache: dict[int, Walls]) -> Board:
        """Read a position string; ``cache`` is the same as for `Walls`."""
        fields = [field.split() for field in text.split("/")]
        pawns = tuple(SQUARES[word] for word in fields[2])
        hands = tuple(map(int, fields[3]))
        turn = int(fields[4][0]) - 1
        walls = Walls(0, 0, 0, GOALS[len(pawns)], cache)
        for kind, words in ((ACROSS, fields[0]), (UPRIGHT, fields[1])):
            names = "".join(words)
            for start in range(0, len(names), 2):
                walls = walls.add(kind + SQUARES[names[start : start + 2]])
        key = walls.key ^ _TURN_KEYS[turn]
        for seat, (pawn, hand) in enumerate(zip(pawns, hands, strict=True)):
            key ^= _KEYS[seat][pawn] ^ _HAND_KEYS[seat][hand]
        return cls(walls, pawns, hands, turn, key, frozenset())

    def remove(self, seat: int) -> Board:
        """The position after the referee has removed a seat."""
        out = self.out | {seat}
        turn = self._next(self.turn, out) if self.turn in out else self.turn
        key = self.key ^ _TURN_KEYS[self.turn] ^ _TURN_KEYS[turn]
        return Board(self.walls, self.pawns, self.hands, turn, key, out)

    def _next(self, seat: int, out: frozenset[int]) -> int:
        count = len(self.pawns)
        following = (seat + 1) % count
        while out and following in out and following != seat:
            following = (following + 1) % count
        return following

    def play(self, move: int) -> Board:
        """The position after a move. It does not test whether a wall cuts a player off; see `connected`."""
        seat, pawns, hands, walls = self.turn, self.pawns, self.hands, self.walls
        turn = self._next(seat, self.out)
        key = self.key ^ _TURN_KEYS[seat] ^ _TURN_KEYS[turn]
        if move < ACROSS:
            keys = _KEYS[seat]
            key ^= keys[pawns[seat]] ^ keys[move]
            pawns = (*pawns[:seat], move, *pawns[seat + 1 :])
        elif move != PASS:
            hand = hands[seat]
            key ^= _KEYS[0][move] ^ _HAND_KEYS[seat][hand] ^ _HAND_KEYS[seat][hand - 1]
            hands = (*hands[:seat], hand - 1, *hands[seat + 1 :])
            walls = walls.add(move)
        return Board(walls, pawns, hands, turn, key, self.out)

    def connected(self) -> bool:
        """Whether every pawn has a path to its goal."""
        distance = self.walls.distance
        return all(distance(seat, pawn) >= 0 for seat, pawn in enumerate(self.pawns))

    def distance(self, seat: int) -> int:
        """The steps from the pawn of a seat to its goal, without regard to other pawns."""
        return self.walls.distance(seat, self.pawns[seat])

    def targets(self) -> int:
        """The set of squares to which the pawn of the seat to move may go."""
        north, east, pawns = self.walls.north, self.walls.east, self.pawns
        here = BIT[pawns[self.turn]]
        near = (here & north) << 9 | here >> 9 & north | (here & east) << 1 | here >> 1 & east
        occupied = 0
        for pawn in pawns:
            occupied |= BIT[pawn]
        if not near & occupied:
            return near
        jumps = 0
        for jumped, ahead, one_side, other_side in (
            ((here & north) << 9, _up, _left, _right),
            (here >> 9 & north, _down, _left, _right),
            ((here & east) << 1, _right, _up, _down),
            (here >> 1 & east, _left, _up, _down),
        ):
            if jumped & occupied:
                # A barrier behind the jumped pawn allows side-steps. A pawn behind it allows neither jump nor
                # side-steps: `ahead` is then not empty, and the last line removes it.
                jumps |= ahead(jumped, north, east) or (
                    one_side(jumped, north, east) | other_side(jumped, north, east)
                )
        return (near | jumps) & ~occupied

    def moves(self, rivals: list[int], *, wide: bool) -> list[int]:
        """The promising moves: pawn moves sorted by distance to the goal, then walls against rivals.

        A wall among them may be illegal because it cuts a player off. If no legal move is left, the move is a
        pass.
        """
        seat, walls = self.turn, self.walls
        targets = squares(self.targets())
        if len(targets) > 1:
            targets.sort(key=lambda target: walls.distance(seat, target))
        if not self.hands[seat]:
            return targets
        across = upright = 0 if targets else ANCHORS
        for rival in rivals:
            more_across, more_upright = walls.cutting(rival, self.pawns[rival], wide=wide)
            across |= more_across
            upright |= more_upright
        horizontal, vertical = walls.horizontal, walls.vertical
        across &= ANCHORS & ~(horizontal | horizontal << 1 | horizontal >> 1 | vertical)
        upright &= ANCHORS & ~(vertical | vertical << 9 | vertical >> 9 | horizontal)
        moves = targets + [ACROSS + anchor for anchor in squares(across)]
        moves += [UPRIGHT + anchor for anchor in squares(upright)]
        return moves


def _up(here: int, north: int, _: int) -> int:
    return (here & north) << 9


def _down(here: int, north: int, _: int) -> int:
    return here >> 9 & north


def _right(here: int, _: int, east: int) -> int:
    return (here & east) << 1


def _left(here: int, _: int, east: int) -> int:
    return here >> 1 & east
