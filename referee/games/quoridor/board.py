"""The board of Quoridor: where pawns can go, where walls can be placed, the seats and the moves.

Squares are numbers and sets of squares are ints, as in `referee.games.grid`. A wall's *anchor* is the square
nearest a1 that the wall touches; the anchor and the direction identify a wall.

`Walls` stores the *open* edges between squares. ``north`` contains a square if no wall blocks the step up
from it; ``east`` contains a square if no wall blocks the step to the right. The edge of the board blocks like
a wall. With open edges, one step of a flood fill over the whole board takes four shifts. Source: rule sheet
004.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from referee.games.grid import Grid, squares

SIZE: Final = 9
_GRID = Grid(SIZE, SIZE)
BIT: Final = _GRID.bit
NAMES: Final = _GRID.names
SQUARE: Final = _GRID.square
ANCHORS: Final = sum(BIT[SIZE * row + column] for row in range(SIZE - 1) for column in range(SIZE - 1))
"""The anchors of all walls: the lower left square of each of the 8 by 8 crossings."""

_ALL = (1 << SIZE * SIZE) - 1
_COLUMN_I = sum(BIT[SIZE * row + SIZE - 1] for row in range(SIZE))
_ROW_9 = _ALL ^ _ALL >> SIZE

_ACROSS = 0b11  # a horizontal wall blocks the step up from its anchor and from the square right of it
_UPRIGHT = 1 << SIZE | 1  # a vertical wall blocks the step right from its anchor and the square above

# Corners of squares show which walls touch. The upper right corner of square s is bit s + 10, so the corners
# on the lower edge of the board are bits 0..9, and the left end of a row is the right end of the row below.
_RIM = (1 << SIZE + 1) - 1 | _COLUMN_I << SIZE + 1 | _ROW_9 << SIZE + 1
_ACROSS_CORNERS = 0b111 << SIZE  # shift by the anchor: left end, middle, right end
_UPRIGHT_CORNERS = 1 << 1 | 1 << SIZE + 1 | 1 << 2 * SIZE + 1  # lower end, middle, upper end

# (ahead, one side, other side). The directions are 0 up, 1 down, 2 right, 3 left.
_TURNS = ((0, 2, 3), (1, 2, 3), (2, 0, 1), (3, 0, 1))


class Walls:
    """An immutable set of walls.

    Attributes:
        horizontal: the anchors of the horizontal walls.
        vertical: the anchors of the vertical walls.
        north: the squares from which the step up is open.
        east: the squares from which the step right is open.
        groups: for each group of connected walls, the set of corners that they touch. The edge of the board
            belongs to one of the groups.
    """

    __slots__ = ("east", "groups", "horizontal", "north", "vertical")

    def __init__(
        self, horizontal: int, vertical: int, north: int, east: int, groups: tuple[int, ...]
    ) -> None:
        self.horizontal: Final = horizontal
        self.vertical: Final = vertical
        self.north: Final = north
        self.east: Final = east
        self.groups: Final = groups

    def with_wall(self, anchor: int, upright: bool) -> Walls:
        """These walls and another one, horizontal or upright. It must be placeable."""
        if upright:
            return Walls(
                self.horizontal,
                self.vertical | BIT[anchor],
                self.north,
                self.east & ~(_UPRIGHT << anchor),
                _joined(self.groups, _UPRIGHT_CORNERS << anchor),
            )
        return Walls(
            self.horizontal | BIT[anchor],
            self.vertical,
            self.north & ~(_ACROSS << anchor),
            self.east,
            _joined(self.groups, _ACROSS_CORNERS << anchor),
        )

    def free(self, upright: bool) -> int:
        """The anchors where a wall, horizontal or upright, would neither overlap nor cross another wall."""
        horizontal, vertical = self.horizontal, self.vertical
        if upright:
            return ANCHORS & ~(vertical | vertical << SIZE | vertical >> SIZE | horizontal)
        return ANCHORS & ~(horizontal | horizontal << 1 | horizontal >> 1 | vertical)

    def near(self, here: int) -> int:
        """The squares one step away from the squares in ``here``, with or without pawns on them."""
        north, east = self.north, self.east
        return (here & north) << SIZE | here >> SIZE & north | (here & east) << 1 | here >> 1 & east

    def distance(self, square: int, goal: int) -> int:
        """The steps from a square to a square of ``goal``, if no pawns were there. A path must exist."""
        steps, here = 0, BIT[square]
        while not here & goal:
            steps += 1
            here |= self.near(here)
        return steps

    def step(self, here: int, direction: int) -> int:
        """The square one step from ``here``, as a set; empty if a wall or the edge is in the way."""
        if direction == 0:
            return (here & self.north) << SIZE
        if direction == 1:
            return here >> SIZE & self.north
        if direction == 2:
            return (here & self.east) << 1
        return here >> 1 & self.east

    def targets(self, pawns: tuple[int, ...], seat: int) -> int:
        """The squares to which the pawn of ``seat`` may go; ``pawns`` are all pawns, by seat."""
        occupied = 0
        for pawn in pawns:
            occupied |= BIT[pawn]
        here = BIT[pawns[seat]]
        near = self.near(here)
        if not near & occupied:
            return near
        targets = near & ~occupied
        for ahead, one_side, other_side in _TURNS:
            jumped = self.step(here, ahead) & occupied
            if jumped:
                behind = self.step(jumped, ahead)
                # If ``behind`` is empty, a barrier is there and side-steps are allowed. A pawn behind is no
                # barrier, so it allows neither side-steps nor the jump (the return statement removes it).
                targets |= behind or self.step(jumped, one_side) | self.step(jumped, other_side)
        return targets & ~occupied

    def cuts(self, anchor: int, pawns: tuple[int, ...], goals: tuple[int, ...], upright: bool) -> int | None:
        """The first seat that a wall at a free anchor would leave without a path, or None."""
        if not self._closes((_UPRIGHT_CORNERS if upright else _ACROSS_CORNERS) << anchor):
            return None
        walls = self.with_wall(anchor, upright)
        for seat, (pawn, goal) in enumerate(zip(pawns, goals, strict=True)):
            if not reaches(walls.north, walls.east, BIT[pawn], goal):
                return seat
        return None

    def _closes(self, corners: int) -> bool:
        """Whether a wall with these corners would close a ring: touch one group at two or more corners."""
        for group in self.groups:
            touched = group & corners
            if touched & touched - 1:
                return True
        return False

    def placeable(self, pawns: tuple[int, ...], goals: tuple[int, ...]) -> tuple[int, int]:
        """The anchors of the horizontal and of the vertical walls that may be placed.

        A wall can cut a player off only if it closes a ring and blocks the shortest path found for that
        player. Only such walls are tested with a flood fill.
        """
        horizontal, vertical = self.free(upright=False), self.free(upright=True)
        closing_horizontal = closing_vertical = 0
        for group in self.groups:
            middle = group >> SIZE + 1
            closing_horizontal |= _at_least_two(group >> SIZE, middle, group >> SIZE + 2)
            closing_vertical |= _at_least_two(group >> 1, middle, group >> 2 * SIZE + 1)
        closing_horizontal &= horizontal
        closing_vertical &= vertical
        if not closing_horizontal and not closing_vertical:
            return horizontal, vertical
        north, east = self.north, self.east
        for pawn, goal in zip(pawns, goals, strict=True):
            up, right = self._path(BIT[pawn], goal)
            for anchor in squares(closing_horizontal & (up | up >> 1)):
                if not reaches(north & ~(_ACROSS << anchor), east, BIT[pawn], goal):
                    horizontal &= ~BIT[anchor]
            for anchor in squares(closing_vertical & (right | right >> SIZE)):
                if not reaches(north, east & ~(_UPRIGHT << anchor), BIT[pawn], goal):
                    vertical &= ~BIT[anchor]
        return horizontal, vertical

    def _path(self, start: int, goal: int) -> tuple[int, int]:
        """The edges of one shortest path, as two sets of squares like ``north`` and ``east``.

        A path must exist: every position has one for each player.
        """
        north, east = self.north, self.east
        layers = []
        seen = layer = start
        while not layer & goal:
            layers.append(layer)
            layer = self.near(layer) & ~seen
            seen |= layer
        here = layer & goal
        here &= -here
        up = right = 0
        for layer in reversed(layers):
            if back := here >> SIZE & north & layer:
                up |= back
            elif back := (here & north) << SIZE & layer:
                up |= here
            elif back := here >> 1 & east & layer:
                right |= back
            else:
                back = (here & east) << 1 & layer
                right |= here
            here = back
        return up, right


NO_WALLS: Final = Walls(0, 0, _ALL & ~_ROW_9, _ALL & ~_COLUMN_I, (_RIM,))


def reaches(north: int, east: int, start: int, goal: int) -> bool:
    """Whether open edges connect ``start`` to a square of ``goal``. Pawns do not block a path."""
    seen = 0
    filled = start
    while filled != seen:
        if filled & goal:
            return True
        seen = filled
        filled |= (seen & north) << SIZE | seen >> SIZE & north | (seen & east) << 1 | seen >> 1 & east
    return False


def _at_least_two(a: int, b: int, c: int) -> int:
    """The bits that are set in two or three of the arguments."""
    return a & b | a & c | b & c


def _joined(groups: tuple[int, ...], corners: int) -> tuple[int, ...]:
    """The groups after a wall with these corners is placed. The wall joins all groups that it touches."""
    untouched = []
    for group in groups:
        if group & corners:
            corners |= group
        else:
            untouched.append(group)
    return (corners, *untouched)


# --- seats and moves ---------------------------------------------------------------------------------------

_BOTTOM = (1 << SIZE) - 1
_LEFT = sum(BIT[SIZE * row] for row in range(SIZE))
_TOP = _BOTTOM << SIZE * (SIZE - 1)
_RIGHT = _LEFT << SIZE - 1

PAWN: Final = 0
ACROSS: Final = 1
UPRIGHT: Final = 2
SKIP: Final = 3


@dataclass(frozen=True, slots=True)
class SeatGeometry:
    """The starts, goals and walls of the players of one game. Each tuple is in seat order."""

    starts: tuple[int, ...]  # the square on which each pawn starts
    goals: tuple[int, ...]  # the set of squares that each player must reach
    goal_names: tuple[str, ...]  # the goals as text for people
    hand: int  # the number of walls that each player has at the start

    @property
    def players(self) -> int:
        """The number of seats."""
        return len(self.starts)


TWO: Final = SeatGeometry(
    starts=(SQUARE["e1"], SQUARE["e9"]),
    goals=(_TOP, _BOTTOM),
    goal_names=("row 9", "row 1"),
    hand=10,
)
FOUR: Final = SeatGeometry(
    starts=(SQUARE["e1"], SQUARE["a5"], SQUARE["e9"], SQUARE["i5"]),
    goals=(_TOP, _RIGHT, _BOTTOM, _LEFT),
    goal_names=("row 9", "column i", "row 1", "column a"),
    hand=5,
)


@dataclass(frozen=True, slots=True)
class QuoridorMove:
    """One turn."""

    text: str  # the move in the game's notation
    kind: int  # ``PAWN``, ``ACROSS`` (a horizontal wall), ``UPRIGHT`` (a vertical wall) or ``SKIP`` (a pass)
    square: int  # the target of the pawn or the anchor of the wall; 0 for a pass

    def __str__(self) -> str:
        return self.text


PAWN_MOVES: Final = tuple(QuoridorMove(name, PAWN, square) for square, name in enumerate(NAMES))
# Each wall move with the bit of its anchor: a loop over all of them is faster than splitting a large set.
ACROSS_MOVES: Final = tuple((BIT[s], QuoridorMove(f"{NAMES[s]}h", ACROSS, s)) for s in squares(ANCHORS))
UPRIGHT_MOVES: Final = tuple((BIT[s], QuoridorMove(f"{NAMES[s]}v", UPRIGHT, s)) for s in squares(ANCHORS))
PASS: Final = QuoridorMove("pass", SKIP, 0)

MOVES: Final = {
    move.text: move for move in (*PAWN_MOVES, *(move for _, move in (*ACROSS_MOVES, *UPRIGHT_MOVES)))
}
"""Every move but the pass, by its text."""


def notation(seating: SeatGeometry) -> str:
    """Return how moves are written."""
    return "a square such as e2, or a wall such as e3h or e3v" + (", or pass" if seating.players > 2 else "")
