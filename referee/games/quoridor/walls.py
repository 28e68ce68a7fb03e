"""The walls on a Quoridor board: where a pawn can go, where a wall can still be placed.

Instead of walls, what is stored is the edges between squares that are *open*: ``north`` holds a square when
nothing bars the way up from it, ``east`` when nothing bars the way to its right. The board's edge bars like
a wall. Then one step of a flood fill over the whole board is four shifts.
"""

from __future__ import annotations

from typing import Final

from referee.games.common.grid import squares
from referee.games.quoridor.board import ANCHORS, BIT, SIZE

__all__ = ["NO_WALLS", "Walls", "reaches"]

_ALL = (1 << SIZE * SIZE) - 1
_COLUMN_I = sum(BIT[SIZE * row + SIZE - 1] for row in range(SIZE))
_ROW_9 = _ALL ^ _ALL >> SIZE

_ACROSS = 0b11  # a horizontal wall bars the way up from its anchor and from the square right of it
_UPRIGHT = 1 << SIZE | 1  # a vertical one the way right from its anchor and from the square above it

# Corners of squares, for the question which walls touch: the upper right corner of square s is bit s + 10,
# so that those on the board's lower edge are bits 0..9, and a row's left end is the lower row's right end.
_RIM = (1 << SIZE + 1) - 1 | _COLUMN_I << SIZE + 1 | _ROW_9 << SIZE + 1
_ACROSS_CORNERS = 0b111 << SIZE  # shifted by its anchor: left end, middle, right end
_UPRIGHT_CORNERS = 1 << 1 | 1 << SIZE + 1 | 1 << 2 * SIZE + 1  # lower end, middle, upper end

# (ahead, to one side, to the other): the directions are 0 up, 1 down, 2 right, 3 left.
_TURNS = ((0, 2, 3), (1, 2, 3), (2, 0, 1), (3, 0, 1))


class Walls:
    """An immutable set of walls.

    Attributes:
        horizontal: the anchors of the horizontal walls.
        vertical: the anchors of the vertical walls.
        north: the squares from which the way up is open.
        east: the squares from which the way right is open.
        groups: the corners of squares that walls touch, a set for each group of walls that hang together; one
            of them holds the board's edge.
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

    def with_horizontal(self, anchor: int) -> Walls:
        """These walls and a horizontal one, which must be placeable."""
        return Walls(
            self.horizontal | BIT[anchor],
            self.vertical,
            self.north & ~(_ACROSS << anchor),
            self.east,
            _joined(self.groups, _ACROSS_CORNERS << anchor),
        )

    def with_vertical(self, anchor: int) -> Walls:
        """These walls and a vertical one, which must be placeable."""
        return Walls(
            self.horizontal,
            self.vertical | BIT[anchor],
            self.north,
            self.east & ~(_UPRIGHT << anchor),
            _joined(self.groups, _UPRIGHT_CORNERS << anchor),
        )

    def free_horizontal(self) -> int:
        """The anchors where a horizontal wall would neither overlap nor cross another wall."""
        standing = self.horizontal
        return ANCHORS & ~(standing | standing << 1 | standing >> 1 | self.vertical)

    def free_vertical(self) -> int:
        """The anchors where a vertical wall would neither overlap nor cross another wall."""
        standing = self.vertical
        return ANCHORS & ~(standing | standing << SIZE | standing >> SIZE | self.horizontal)

    def near(self, here: int) -> int:
        """The squares one step from those in ``here``, whether a pawn is on them or not."""
        north, east = self.north, self.east
        return (here & north) << SIZE | here >> SIZE & north | (here & east) << 1 | here >> 1 & east

    def step(self, here: int, direction: int) -> int:
        """The square one step from ``here``, as a set: empty when a wall or the edge bars the way."""
        if direction == 0:
            return (here & self.north) << SIZE
        if direction == 1:
            return here >> SIZE & self.north
        if direction == 2:
            return (here & self.east) << 1
        return here >> 1 & self.east

    def targets(self, pawns: tuple[int, ...], seat: int) -> int:
        """The squares to which a seat's pawn may go; ``pawns`` are the squares of all pawns, by seat."""
        taken = 0
        for pawn in pawns:
            taken |= BIT[pawn]
        here = BIT[pawns[seat]]
        near = self.near(here)
        if not near & taken:
            return near
        found = near & ~taken
        for ahead, one_side, other_side in _TURNS:
            jumped = self.step(here, ahead) & taken
            if jumped:
                behind = self.step(jumped, ahead)
                # Nothing behind is a barrier; a pawn behind is none, and allows neither jump nor side-step.
                found |= behind or self.step(jumped, one_side) | self.step(jumped, other_side)
        return found & ~taken

    def cuts_horizontal(self, anchor: int, pawns: tuple[int, ...], goals: tuple[int, ...]) -> int | None:
        """The first seat that a horizontal wall in a free place would leave without a path, or None."""
        if not self._closes(_ACROSS_CORNERS << anchor):
            return None
        return _cut_off(self.north & ~(_ACROSS << anchor), self.east, pawns, goals)

    def cuts_vertical(self, anchor: int, pawns: tuple[int, ...], goals: tuple[int, ...]) -> int | None:
        """The first seat that a vertical wall in a free place would leave without a path, or None."""
        if not self._closes(_UPRIGHT_CORNERS << anchor):
            return None
        return _cut_off(self.north, self.east & ~(_UPRIGHT << anchor), pawns, goals)

    def _closes(self, corners: int) -> bool:
        """Whether a wall with these corners would close a ring: touch one group at more than one corner."""
        for group in self.groups:
            touched = group & corners
            if touched & touched - 1:
                return True
        return False

    def placeable(self, pawns: tuple[int, ...], goals: tuple[int, ...]) -> tuple[int, int]:
        """The anchors of the horizontal and of the vertical walls that may be placed.

        Only a wall that closes a ring encloses anything; and of those only one that stands in the way of a
        path which some player has now can cut that player off.
        """
        horizontal, vertical = self.free_horizontal(), self.free_vertical()
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
        """The edges of one shortest path, as squares like those of ``north`` and of ``east``.

        There must be one: a position without it cannot be made.
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
    """Whether the open edges connect ``start`` to a square of ``goal``; pawns are no obstacle."""
    seen = 0
    grown = start
    while grown != seen:
        if grown & goal:
            return True
        seen = grown
        grown |= (seen & north) << SIZE | seen >> SIZE & north | (seen & east) << 1 | seen >> 1 & east
    return False


def _cut_off(north: int, east: int, pawns: tuple[int, ...], goals: tuple[int, ...]) -> int | None:
    """The first seat whose pawn has no path."""
    for seat, (pawn, goal) in enumerate(zip(pawns, goals, strict=True)):
        if not reaches(north, east, BIT[pawn], goal):
            return seat
    return None


def _at_least_two(one: int, two: int, three: int) -> int:
    """The bits that are set in two of the three."""
    return one & two | one & three | two & three


def _joined(groups: tuple[int, ...], corners: int) -> tuple[int, ...]:
    """The groups after a wall with these corners, which joins all groups that it touches."""
    apart = []
    for group in groups:
        if group & corners:
            corners |= group
        else:
            apart.append(group)
    return (corners, *apart)
