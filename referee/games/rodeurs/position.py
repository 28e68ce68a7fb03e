"""The positions of Rôdeurs, and its two games: jumps in four directions or eight. Source: rule sheet 001."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from referee.board import Scene
from referee.game import GameInfo
from referee.games.common import begin
from referee.games.rodeurs.board import (
    GRID,
    MIRROR,
    Pawns,
    RodeursBoard,
    RodeursMove,
    after,
    count_pawns,
    points,
)
from referee.games.rodeurs.illegal import refuse
from referee.games.rodeurs.text import DRAWN, draw_board, read_position, scene, write_position


class RodeursPosition(RodeursBoard):
    """An immutable position. `RodeursGame` and `play` make positions."""

    __slots__ = ()

    def parse_move(self, text: str) -> RodeursMove:
        """Read a move along any path and check that it is legal, without listing the other moves."""
        move = self.find_move(text)
        if move is None:
            refuse(text, self)
        return move

    def play(self, move: RodeursMove) -> RodeursPosition:
        """The position after a move that this position's own methods returned."""
        pawns = self.pawns
        for jump in move.jumps:
            pawns = after(pawns, jump)
        return RodeursPosition(self.white, pawns, 1 - self.turn, diagonal=self.diagonal)

    def is_irreversible(self, move: RodeursMove) -> bool:
        """Always true: every jump removes a pawn, so no earlier position can occur again."""
        return True

    def skip_turn(self) -> RodeursPosition:
        """The same position with the next seat to move."""
        return RodeursPosition(self.white, self.pawns, 1 - self.turn, diagonal=self.diagonal)

    def diagram(self, *, ascii_only: bool = False) -> str:
        """The board drawn as text for people, with the points of each player."""
        return draw_board(self, ascii_only=ascii_only)

    def scene(self) -> Scene:
        """What stands on the drawn board."""
        return scene(self)

    def __str__(self) -> str:
        return write_position(self)


# --- start positions ---------------------------------------------------------------------------------------

# The functions make the lower half of the board and mirror it in the grey row. Opposite squares have
# different colours and equal pawns.

_HALF = range(GRID.columns * (GRID.rows // 2))
_WHITE = tuple((square % GRID.columns + square // GRID.columns) % 2 == 1 for square in _HALF)
_COLOURS = tuple((square % GRID.columns + square // GRID.columns) % 3 for square in _HALF)


def _default_start() -> tuple[int, Pawns]:
    """The white squares and the pawns of the default start. Both form diagonal lines."""
    return _mirrored(_WHITE, _COLOURS)


def _random_start(seed: int) -> tuple[int, Pawns]:
    """Random white squares, and the pawns of the default start in random order.

    The same seed gives the same start on every machine.
    """
    rng = random.Random(seed)
    white = [rng.random() < 0.5 for _ in _HALF]
    return _mirrored(white, sorted(_COLOURS, key=lambda _: rng.random()))


def _mirrored(white: Sequence[bool], colours: Sequence[int]) -> tuple[int, Pawns]:
    """The white squares and the pawns of the whole board.

    Args:
        white: for each square of the lower half, whether it is white.
        colours: for each square of the lower half, the colour of its pawn: 0 green, 1 yellow, 2 red.
    """
    bit = GRID.bit
    light = sum(bit[square if white[square] else MIRROR[square]] for square in _HALF)
    green, yellow, red = (
        sum(bit[square] | bit[MIRROR[square]] for square in _HALF if colours[square] == colour)
        for colour in range(3)
    )
    return light, (green, yellow, red)


class RodeursGame:
    """The rules of Rôdeurs with jumps in four directions or in eight."""

    __slots__ = ("_default", "_diagonal", "info")

    def __init__(self, info: GameInfo, *, diagonal: bool) -> None:
        self.info: Final = info
        self._diagonal: Final = diagonal
        self._default: Final = RodeursPosition(*_default_start(), 0, diagonal=diagonal)

    def start(self, setup: str | None = None) -> RodeursPosition:
        """The start position ``default`` or ``random:SEED``, or the one of a position string."""
        return begin(setup, {"default": self._default}, self.parse_position, self._random)

    def parse_position(self, text: str) -> RodeursPosition:
        """Read a position string."""
        return RodeursPosition(*read_position(text), diagonal=self._diagonal)

    def count(self, position: RodeursPosition) -> tuple[int, int]:
        """For each player: minus the sum of 10000 a point, 100 a red pawn and 1 a yellow pawn.

        So these numbers rank the players as `RodeursPosition.outcome` does.
        """
        first, second = (
            -(10_000 * points(counts) + 100 * counts[2] + counts[1])
            for counts in count_pawns(position.white, position.pawns)
        )
        return first, second

    def _random(self, seed: int) -> RodeursPosition:
        return RodeursPosition(*_random_start(seed), 0, diagonal=self._diagonal)


_START = (
    "At the start square colours and pawns form diagonal lines. The upper half mirrors the lower"
    " half, with the two square colours exchanged. Any other start with this symmetry is possible."
)
_FOUR = "Jumps go up, down, left and right, not diagonally."
_EIGHT = "Jumps go in all eight directions, diagonally too."
_TWO = (
    "Two different pawns make the two jumps of a turn, one after the other, and the first jump may"
    " make the second possible. Two jumps by the same pawn are a multiple jump."
)

RODEURS: Final = RodeursGame(
    GameInfo(
        id="rodeurs",
        title="Rôdeurs",
        players=2,
        board="7x9",
        ply_limit=None,
        draw_prior=0.02,
        sheet="001",
        rulings=(_START, _FOUR, _TWO),
        drawn=DRAWN,
    ),
    diagonal=False,
)
RODEURS_DIAGONAL: Final = RodeursGame(
    GameInfo(
        id="rodeurs-diagonal",
        title="Rôdeurs with diagonal jumps",
        players=2,
        board="7x9",
        ply_limit=None,
        draw_prior=0.02,
        sheet="001",
        rulings=(_START, _EIGHT, _TWO),
        drawn=DRAWN,
    ),
    diagonal=True,
)
