"""Quoridor as the search sees it: squares as bits, paths as layers, and only the walls that are worth a look.

A square is a number from 0 (a1) to 80 (i9), a set of squares an int. `north` and `east` hold the squares from
which the way up, or to the right, is open. A move is a small int: a square is the pawn's target, ACROSS or
UPRIGHT plus an anchor is a wall, PASS a pass.
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
MOST_KNOWN = 40_000  # sets of walls, about 1.5 kB each
STARTS = {2: "/ / e1 e9 / 10 10 / 1", 4: "/ / e1 a5 e9 i5 / 5 5 5 5 / 1"}

_rng = random.Random(9)
_KEYS = [
    [_rng.getrandbits(60) for _ in range(301)] for _ in range(4)
]  # pawns by seat; walls in the first row
_HAND_KEYS = [[_rng.getrandbits(60) for _ in range(11)] for _ in range(4)]
_TURN_KEYS = [_rng.getrandbits(60) for _ in range(4)]


def move_text(move: int) -> str:
    """The notation of a move."""
    if move == PASS:
        return "pass"
    return NAMES[move % 100] + ("", "h", "v")[move // 100]


def read_move(text: str) -> int:
    """The move that a text means."""
    if text == "pass":
        return PASS
    return SQUARES[text[:2]] + {"": 0, "h": ACROSS, "v": UPRIGHT}[text[2:]]


def squares(bits: int) -> list[int]:
    """The squares in a set, in ascending order."""
    found = []
    while bits:
        low = bits & -bits
        found.append(low.bit_length() - 1)
        bits ^= low
    return found


class Walls:
    """A set of walls, shared by all positions that have it, so that its layers are found once for many nodes.

    Args:
        known: finds the sets that were made before, by key; one dict for a whole search.
    """

    __slots__ = ("_goals", "_known", "_layers", "east", "horizontal", "key", "north", "vertical")

    def __init__(
        self, horizontal: int, vertical: int, key: int, goals: tuple[int, ...], known: dict[int, Walls]
    ) -> None:
        self.horizontal, self.vertical, self.key = horizontal, vertical, key
        self.north = BOARD >> 9 & ~(horizontal | horizontal << 1)
        self.east = BOARD & ~(COLUMN_A << 8) & ~(vertical | vertical << 9)
        self._goals, self._known = goals, known
        self._layers: list[list[int] | None] = [None] * len(goals)

    def add(self, move: int) -> Walls:
        """These walls and another one, which must not overlap or cross them."""
        key = self.key ^ _KEYS[0][move]
        child = self._known.get(key)
        if child is None:
            bit = BIT[move % 100]
            across, upright = (bit, 0) if move < UPRIGHT else (0, bit)
            child = Walls(self.horizontal | across, self.vertical | upright, key, self._goals, self._known)
            if len(self._known) < MOST_KNOWN:
                self._known[key] = child
        return child

    def layers(self, seat: int) -> list[int]:
        """Squares by their distance from the seat's goal: first comes the goal itself, last the empty set."""
        found = self._layers[seat]
        if found is None:
            north, east = self.north, self.east
            seen = front = self._goals[seat]
            found = [front]
            while front:
                front = (
                    (front & north) << 9 | front >> 9 & north | (front & east) << 1 | front >> 1 & east
                ) & ~seen
                seen |= front
                found.append(front)
            self._layers[seat] = found
        return found

    def distance(self, seat: int, pawn: int) -> int:
        """Steps from a square to the seat's goal if no pawn is in the way; -1 when there is no path."""
        bit = BIT[pawn]
        for steps, layer in enumerate(self.layers(seat)):
            if layer & bit:
                return steps
        return -1

    def cutting(self, seat: int, pawn: int, *, wide: bool) -> tuple[int, int]:
        """Anchors of walls, not all placeable, that lengthen the way of ``seat``.

        All shortest paths together are followed from the pawn to the goal. Where they pass through one or two
        neighbouring gaps a single wall shuts them; ``wide`` adds all walls that shut at least a part of up to
        four gaps, for plans of two walls.
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
        walls: those on the board.
        pawns, hands: in seat order.
        turn: the seat to move.
        key: a hash of all that.
        out: seats that the referee has removed; they are skipped.
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
    def parse(cls, text: str, known: dict[int, Walls]) -> Board:
        """Read a position string; ``known`` as for `Walls`."""
        fields = [field.split() for field in text.split("/")]
        pawns = tuple(SQUARES[word] for word in fields[2])
        hands = tuple(map(int, fields[3]))
        turn = int(fields[4][0]) - 1
        walls = Walls(0, 0, 0, GOALS[len(pawns)], known)
        for kind, words in ((ACROSS, fields[0]), (UPRIGHT, fields[1])):
            names = "".join(words)
            for start in range(0, len(names), 2):
                walls = walls.add(kind + SQUARES[names[start : start + 2]])
        key = walls.key ^ _TURN_KEYS[turn]
        for seat, (pawn, hand) in enumerate(zip(pawns, hands, strict=True)):
            key ^= _KEYS[seat][pawn] ^ _HAND_KEYS[seat][hand]
        return cls(walls, pawns, hands, turn, key, frozenset())

    def remove(self, seat: int) -> Board:
        """The referee has removed a seat."""
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
        """The position after a move; whether a wall cuts somebody off is for `connected` to say."""
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
        """Steps that a seat needs if no pawn is in its way."""
        return self.walls.distance(seat, self.pawns[seat])

    def targets(self) -> int:
        """Where the pawn of the seat to move may go, as a set."""
        north, east, pawns = self.walls.north, self.walls.east, self.pawns
        here = BIT[pawns[self.turn]]
        near = (here & north) << 9 | here >> 9 & north | (here & east) << 1 | here >> 1 & east
        taken = 0
        for pawn in pawns:
            taken |= BIT[pawn]
        if not near & taken:
            return near
        found = 0
        for jumped, ahead, one_side, other_side in (
            ((here & north) << 9, _up, _left, _right),
            (here >> 9 & north, _down, _left, _right),
            ((here & east) << 1, _right, _up, _down),
            (here >> 1 & east, _left, _up, _down),
        ):
            if jumped & taken:
                # Behind a barrier it is the sides; behind another pawn it is nothing at all.
                found |= ahead(jumped, north, east) or (
                    one_side(jumped, north, east) | other_side(jumped, north, east)
                )
        return (near | found) & ~taken

    def moves(self, rivals: list[int], *, wide: bool) -> list[int]:
        """Moves worth a look: the pawn's, the nearer to the goal the earlier, then walls against rivals.

        A wall among them may still cut somebody off. If none is left that doesn't, it is a pass.
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
        found = targets + [ACROSS + anchor for anchor in squares(across)]
        found += [UPRIGHT + anchor for anchor in squares(upright)]
        return found


def _up(here: int, north: int, _: int) -> int:
    return (here & north) << 9


def _down(here: int, north: int, _: int) -> int:
    return here >> 9 & north


def _right(here: int, _: int, east: int) -> int:
    return (here & east) << 1


def _left(here: int, _: int, east: int) -> int:
    return here >> 1 & east
