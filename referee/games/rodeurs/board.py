"""The board of Rôdeurs: its squares, the jumps on it, the legal moves, and the points of its pawns.

Squares are numbers and sets of squares are ints, as in `referee.games.grid`. In a turn, one pawn makes one
jump or more, or two pawns make one jump each. A move's text is the path of the pawn, or the two paths with a
comma between them. Source: rule sheet 001.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final, NamedTuple

from referee.games.common import KeyedPosition
from referee.games.grid import DIAGONAL, ORTHOGONAL, Grid
from referee.outcome import Outcome

GRID: Final = Grid(7, 9)
GREY: Final = GRID.set_of("a5 b5 c5 d5 e5 f5 g5")
"""The middle row, which belongs to neither player."""
MIRROR: Final = tuple(GRID.square[f"{name[0]}{GRID.rows + 1 - int(name[1])}"] for name in GRID.names)
"""By square: the opposite square, mirrored in the grey row."""
ALL_PAWNS: Final = 56
"""The number of pawns before the first move."""
_LONGEST: Final = 2 + 2 * ALL_PAWNS  # each jump of a chain removes a pawn

Pawns = tuple[int, int, int]
"""The squares of the green, the yellow and the red pawns."""


class Jump(NamedTuple):
    """One jump. All attributes but ``text`` are sets of squares."""

    text: str  # the names of the start and of the landing, e.g. ``c3c5``
    start: int  # the square where the jump begins
    over: int  # the square jumped
    landing: int  # the square where the jump ends
    needed: int  # ``start`` and ``over``, which must be occupied before, and are empty after
    touched: int  # ``start``, ``over`` and ``landing``, of which only the landing is occupied after


@dataclass(frozen=True, slots=True)
class Ways:
    """The tables of all jumps of one game.

    Attributes:
        jumps: all jumps, sorted by text.
        by_text: the jumps by text.
        leaving: the jumps by start.
        lines: for `can_jump`, three values for each pair of opposite directions: the difference between the
            numbers of two neighbouring squares; the squares where a jump to a higher number may begin; and
            the squares that a jump to a lower number may go over. From or over the other squares, a jump
            would leave the board on the left or right.
    """

    jumps: tuple[Jump, ...]
    by_text: dict[str, Jump]
    leaving: dict[int, tuple[Jump, ...]]
    lines: tuple[tuple[int, int, int], ...]


def _ways(directions: tuple[tuple[int, int], ...], lines: tuple[tuple[int, int, int], ...]) -> Ways:
    bit, names = GRID.bit, GRID.names
    jumps = []
    for square, pairs in enumerate(GRID.jumps(directions)):
        for over, landing in pairs:
            start, middle, end = bit[square], bit[over], bit[landing]
            text = names[square] + names[landing]
            jumps.append(Jump(text, start, middle, end, start | middle, start | middle | end))
    jumps.sort()
    leaving = {start: tuple(each) for start, each in groupby(jumps, lambda jump: jump.start)}
    return Ways(tuple(jumps), {jump.text: jump for jump in jumps}, leaving, lines)


def _columns(letters: str) -> int:
    return sum(bit for bit, name in zip(GRID.bit, GRID.names, strict=True) if name[0] in letters)


_A_E, _B_F, _C_G = _columns("abcde"), _columns("bcdef"), _columns("cdefg")
_STRAIGHT = ((7, GRID.all, GRID.all), (1, _A_E, _B_F))
_OBLIQUE = ((8, _A_E, _B_F), (6, _C_G, _B_F))

WAYS: Final = (_ways(ORTHOGONAL, _STRAIGHT), _ways((*ORTHOGONAL, *DIAGONAL), (*_STRAIGHT, *_OBLIQUE)))
"""The tables of jumps, by whether diagonal jumps are allowed."""


@dataclass(frozen=True, slots=True)
class RodeursMove:
    """One turn; its text describes it fully, whatever the position."""

    text: str  # the move in the game's notation
    jumps: tuple[Jump, ...]  # the jumps of the turn, in order

    def __str__(self) -> str:
        return self.text


class RodeursBoard(KeyedPosition):
    """The pawns on the board, and whose turn it is.

    Attributes:
        white: the white squares, which are player 1's quarter. All others but the grey row are player 2's.
        pawns: the squares of the green, the yellow and the red pawns.
        turn: the seat to move, 0-based; in a finished game, the seat that would be next.
        diagonal: whether jumps go in eight directions.
    """

    __slots__ = ("diagonal", "pawns", "turn", "white")

    def __init__(self, white: int, pawns: Pawns, turn: int, *, diagonal: bool) -> None:
        self.white: Final = white
        self.pawns: Final = pawns
        self.turn: Final = turn
        self.diagonal: Final = diagonal

    @property
    def taken(self) -> int:
        """The squares of all pawns."""
        green, yellow, red = self.pawns
        return green | yellow | red

    @property
    def is_first_turn(self) -> bool:
        """Whether the next move is the first move of the game."""
        return self.taken.bit_count() == ALL_PAWNS

    def outcome(self) -> Outcome | None:
        """The result after no pawn can jump, with the points as ``scores``; None before that.

        The player with fewer points wins (reason ``points``). If the points are equal, fewer red pawns win
        (``reds``), then fewer yellow pawns (``yellows``). Otherwise the game is a draw (``equal``).
        """
        if can_jump(self.taken, WAYS[self.diagonal]):
            return None
        counts = count_pawns(self.white, self.pawns)
        scores = (points(counts[0]), points(counts[1]))
        (_, yellow, red), (_, other_yellow, other_red) = counts
        for reason, own, other in (
            ("points", *scores),
            ("reds", red, other_red),
            ("yellows", yellow, other_yellow),
        ):
            if own != other:
                return Outcome((1, 2) if own < other else (2, 1), reason, scores)
        return Outcome((1, 1), "equal", scores)

    def key(self) -> Hashable:
        """The square colours, the pawns and the turn; repetition compares these keys.

        Repetition is impossible in this game, because every jump removes a pawn.
        """
        return (self.white, self.pawns, self.turn)

    def identity(self) -> Hashable:
        """The key, and in how many directions jumps go."""
        return (self.key(), self.diagonal)

    def legal_moves(self) -> Iterator[RodeursMove]:
        """The canonical moves: short texts before long texts, and equally long texts in ASCII order.

        The legal texts are made in this order, so the first text that leads to a successor is the canonical
        one. The text of two pawns has nine characters; that of one pawn has eight for three jumps and ten for
        four.
        """
        pawns, ways = self.pawns, WAYS[self.diagonal]
        occupied = self.taken
        reached: set[Pawns] = set()
        single: list[_Line] = [
            (jump.text, (jump,), after(pawns, jump))
            for jump in ways.jumps
            if occupied & jump.touched == jump.needed
        ]
        yield from _new(single, reached)
        if self.is_first_turn:
            return
        chains = single
        for _ in range(2):
            chains = _longer(chains, ways)
            yield from _new(chains, reached)
        yield from _new(_pairs(single, ways), reached)
        while chains:
            chains = _longer(chains, ways)
            yield from _new(chains, reached)

    def find_move(self, text: str) -> RodeursMove | None:
        """The legal move that a text stands for, along any path; None if the text is not a legal move."""
        pair = text[4:5] == ","
        size = len(text)
        if size > _LONGEST or (pair and (size != 9 or text[2:4] == text[5:7])):
            return None
        green, yellow, red = self.pawns
        occupied = green | yellow | red
        if size != 4 and occupied.bit_count() == ALL_PAWNS:
            return None
        by_text = WAYS[self.diagonal].by_text
        jumps = []
        for place in (0, 5) if pair else range(0, size - 2, 2):
            jump = by_text.get(text[place : place + 4])
            if jump is None or occupied & jump.touched != jump.needed:
                return None
            occupied ^= jump.touched
            jumps.append(jump)
        return RodeursMove(text, tuple(jumps)) if jumps else None


def can_jump(occupied: int, ways: Ways) -> bool:
    """Whether any pawn can jump; ``occupied`` has the squares of all pawns."""
    empty = GRID.all ^ occupied
    for shift, ahead, behind in ways.lines:
        if occupied & occupied >> shift & (empty >> 2 * shift & ahead | empty << shift & behind):
            return True
    return False


def after(pawns: Pawns, jump: Jump) -> Pawns:
    """The pawns after a legal jump."""
    _, start, over, landing, _, _ = jump
    green, yellow, red = pawns
    if green & start:
        green ^= start | landing
    elif yellow & start:
        yellow ^= start | landing
    else:
        red ^= start | landing
    if green & over:
        green ^= over
    elif yellow & over:
        yellow ^= over
    else:
        red ^= over
    return green, yellow, red


def count_pawns(white: int, pawns: Pawns) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The numbers of green, yellow and red pawns on player 1's squares, the white ones, and on player 2's."""
    black = GRID.all ^ GREY ^ white
    own, other = (tuple((colour & home).bit_count() for colour in pawns) for home in (white, black))
    return own, other


def points(counts: tuple[int, ...]) -> int:
    """The points for numbers of green, yellow and red pawns, which count 1, 2 and 3 points each."""
    green, yellow, red = counts
    return green + 2 * yellow + 3 * red


_Line = tuple[str, tuple[Jump, ...], Pawns]
"""The text of a move, its jumps, and the pawns after it."""


def _new(lines: Iterable[_Line], reached: set[Pawns]) -> Iterator[RodeursMove]:
    """The moves that lead to positions that no earlier move has reached."""
    for text, jumps, pawns in lines:
        if pawns not in reached:
            reached.add(pawns)
            yield RodeursMove(text, jumps)


def _longer(chains: list[_Line], ways: Ways) -> list[_Line]:
    """The chains with one more jump, sorted by text.

    Only the first of several chains with the same pawns and the same last landing is kept.
    """
    seen: set[tuple[Pawns, int]] = set()
    longer = []
    for text, jumps, pawns in chains:
        occupied = pawns[0] | pawns[1] | pawns[2]
        for jump in ways.leaving[jumps[-1].landing]:
            if occupied & jump.touched != jump.needed:
                continue
            pawns_after = after(pawns, jump)
            if (pawns_after, jump.landing) not in seen:
                seen.add((pawns_after, jump.landing))
                longer.append((text + jump.text[2:], (*jumps, jump), pawns_after))
    return longer


def _pairs(single: list[_Line], ways: Ways) -> Iterator[_Line]:
    """All pairs of single jumps, sorted by text.

    A pair by one pawn needs no test: it leads to the same position as a chain that came earlier.
    """
    for text, (first,), pawns in single:
        occupied = pawns[0] | pawns[1] | pawns[2]
        for jump in ways.jumps:
            if occupied & jump.touched == jump.needed:
                yield f"{text},{jump.text}", (first, jump), after(pawns, jump)
