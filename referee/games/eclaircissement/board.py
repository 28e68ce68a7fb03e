"""The board of Éclaircissement: its squares, the steps and jumps on it, and the legal moves.

Squares are numbers and sets of squares are ints, as in `referee.games.grid`. A move's text is the path of the
pawn, with ``+`` at its end if the move lights the pawn. Source: rule sheet 003.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Final

from referee.game import MAX_MOVE_TEXT
from referee.games.common import KeyedPosition
from referee.games.grid import EIGHT, ORTHOGONAL, Grid, squares
from referee.outcome import Outcome

PLAYERS: Final = ("White", "Red")
"""The players' names, by seat."""
EACH: Final = 8
"""The number of pawns of each player."""
LIGHT: Final = "+"
"""The last character of the text of a move that lights the pawn."""

GRID: Final = Grid(5, 5)
CENTRE: Final = GRID.set_of("c3")
INSIDE: Final = GRID.set_of("b2 c2 d2 b3 c3 d3 b4 c4 d4")
"""The squares that are not on the border."""

_BIT, _NAMES = GRID.bit, GRID.names
_JUMPS = GRID.jumps(ORTHOGONAL)

STEPS: Final = {
    _NAMES[start] + _NAMES[target]: (_BIT[start], _BIT[target])
    for start in range(len(_NAMES))
    for direction in EIGHT
    if (target := GRID.step(start, direction)) is not None
}
"""By text: the start and the target of each step."""
JUMPS: Final = {
    _NAMES[start] + _NAMES[landing]: (_BIT[start], _BIT[over], _BIT[landing])
    for start, pairs in enumerate(_JUMPS)
    for over, landing in pairs
}
"""By text: the start, the square jumped and the landing of each jump."""

STEPS_FROM: Final = tuple(
    [(target, text) for text, (start, target) in STEPS.items() if start == bit] for bit in _BIT
)
"""By square: the target and the text of each step from it."""
JUMPS_FROM: Final = tuple(
    [
        (_BIT[over], _BIT[landing], landing, _NAMES[landing])
        for over, landing in sorted(pairs, key=lambda pair: _NAMES[pair[1]])
    ]
    for pairs in _JUMPS
)
"""By square: the jumps from it, in the order of their landings' names. A jump is the bit of the square
jumped, the bit of the landing, the number of the landing and its name."""

_WINS: Final = tuple(Outcome.win(seat, 2, "border") for seat in range(2))


@dataclass(frozen=True, slots=True)
class EclaircissementMove:
    """One turn; its text describes it fully, whatever the position."""

    text: str  # the move in the game's notation
    start: int  # the bit of the square that the pawn leaves
    target: int  # the bit of the square where the pawn ends; `start` again for a chain that leads back
    lights: bool  # whether the move lights the pawn

    def __str__(self) -> str:
        return self.text


class EclaircissementBoard(KeyedPosition):
    """The pawns on the board, and whose turn it is."""

    __slots__ = ("lit", "pawns", "turn")

    def __init__(self, pawns: tuple[int, int], lit: int, turn: int) -> None:
        self.pawns: Final = pawns  # the squares of White's and of Red's pawns
        self.lit: Final = lit  # the squares of the lit pawns
        self.turn: Final = turn  # the seat to move, 0-based; in a finished game, the seat that would be next

    @property
    def winner(self) -> int | None:
        """The seat whose pawns are all lit and on the border, or None.

        If this is true for both seats, the seat that has just moved wins.
        """
        unfit = INSIDE | ~self.lit
        for seat in (1 - self.turn, self.turn):
            if not self.pawns[seat] & unfit:
                return seat
        return None

    def outcome(self) -> Outcome | None:
        """The win of the player whose pawns are all lit and on the border, or None."""
        winner = self.winner
        return None if winner is None else _WINS[winner]

    def key(self) -> Hashable:
        """The pawns, the lit pawns and the turn; repetition compares these keys."""
        return (self.pawns, self.lit, self.turn)

    def legal_moves(self) -> Iterator[EclaircissementMove]:
        """The canonical moves: short texts before long texts, and equally long texts in ASCII order."""
        if self.winner is not None:
            return
        occupied = self.pawns[0] | self.pawns[1]
        moves: list[EclaircissementMove] = []
        for square in squares(self.pawns[self.turn]):
            moves += _pawn_moves(square, occupied, self.lit)
        moves.sort(key=_length_and_text)
        yield from moves

    def find_move(self, text: str) -> EclaircissementMove | None:
        """The legal move that a text stands for, along any path; None if the text is not a legal move."""
        if self.winner is not None:
            return None
        lights = text.endswith(LIGHT)
        path = text[:-1] if lights else text
        step = STEPS.get(path)
        if step is None:
            return self._find_chain(text, path, lights=lights)
        start, target = step
        if not start & self.pawns[self.turn] or target & (self.pawns[0] | self.pawns[1]):
            return None
        if lights and (target != CENTRE or start & self.lit):
            return None
        return EclaircissementMove(text, start, target, lights)

    def _find_chain(self, text: str, path: str, *, lights: bool) -> EclaircissementMove | None:
        """The chain of jumps with this path; None if it is not legal."""
        first = JUMPS.get(path[:4])
        if first is None or len(text) > MAX_MOVE_TEXT or not first[0] & self.pawns[self.turn]:
            return None
        start = target = first[0]
        others = (self.pawns[0] | self.pawns[1]) ^ start
        light = 0
        for index in range(0, len(path) - 2, 2):
            jump = JUMPS.get(path[index : index + 4])
            if jump is None:
                return None
            _, over, target = jump
            if not over & others or target & others:
                return None
            light |= over & self.lit | target & CENTRE
        allowed = light and not start & self.lit if lights else start != target
        return EclaircissementMove(text, start, target, lights) if allowed else None


def _length_and_text(move: EclaircissementMove) -> tuple[int, str]:
    return len(move.text), move.text


def _pawn_moves(square: int, occupied: int, lit: int) -> Iterator[EclaircissementMove]:
    """The canonical moves of one pawn: one for each distinct successor."""
    start = GRID.bit[square]
    dark = not start & lit
    for target, text in STEPS_FROM[square]:
        if not target & occupied:
            yield EclaircissementMove(text, start, target, lights=False)
            if dark and target == CENTRE:
                yield EclaircissementMove(text + LIGHT, start, target, lights=True)
    yield from _chains(square, occupied ^ start, lit, dark=dark)


def _chains(square: int, others: int, lit: int, *, dark: bool) -> Iterator[EclaircissementMove]:
    """The moves by jumps.

    This is a breadth-first search. A node is a square, and whether the pawn may be lit on the path to it.
    The search finds short paths first, and equally long paths in ASCII order. So the first path that leads to
    a successor is the canonical text.
    """
    start = GRID.bit[square]
    reached = start
    reached_in_light = 0
    waiting = [(square, GRID.names[square], False)]
    for here, path, light in waiting:
        for over, landing, there, name in JUMPS_FROM[here]:
            if not over & others or landing & others:
                continue
            text = path + name
            light_now = light or (dark and (landing == CENTRE or over & lit != 0))
            if light_now:
                if landing & reached_in_light:
                    continue
                reached_in_light |= landing
                yield EclaircissementMove(text + LIGHT, start, landing, lights=True)
            if not landing & reached:
                reached |= landing
                yield EclaircissementMove(text, start, landing, lights=False)
            elif not light_now:
                continue
            waiting.append((there, text, light_now))
