"""The positions of Rôdeurs, and its two games: jumps in four directions or eight. Source: rule sheet 001."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Final

from referee.game import GameInfo
from referee.games.common.position import KeyedPosition
from referee.games.common.setup import begin
from referee.games.rodeurs.board import ALL_PAWNS, WAYS, Pawns, after, can_jump, count_pawns, points
from referee.games.rodeurs.diagram import draw_board
from referee.games.rodeurs.illegal import refuse
from referee.games.rodeurs.moves import RodeursMove, list_moves, read_move
from referee.games.rodeurs.start import default_start, random_start
from referee.games.rodeurs.text import read_position, write_position
from referee.outcome import Outcome

__all__ = ["RODEURS", "RODEURS_DIAGONAL", "RodeursGame", "RodeursPosition"]


class RodeursPosition(KeyedPosition):
    """An immutable position. `RodeursGame` and `play` make positions.

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

    def legal_moves(self) -> Iterator[RodeursMove]:
        """The canonical moves: short texts before long texts, and equally long texts in ASCII order."""
        return list_moves(self)

    def parse_move(self, text: str) -> RodeursMove:
        """Read a move along any path and check that it is legal, without listing the other moves.

        Raises:
            MoveSyntaxError: the text is not a move in any position.
            IllegalMove: the rules forbid the move in this position, or the game is over.
        """
        move = read_move(text, self)
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

    def skip_turn(self) -> RodeursPosition:
        """The same position with the next seat to move."""
        return RodeursPosition(self.white, self.pawns, 1 - self.turn, diagonal=self.diagonal)

    def diagram(self, *, ascii_only: bool = False) -> str:
        """The board drawn as text for people, with the points of each player."""
        return draw_board(self, ascii_only=ascii_only)

    def __str__(self) -> str:
        return write_position(self)

    def __hash__(self) -> int:
        return hash(self.key())

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, RodeursPosition)
            and self.key() == other.key()
            and self.diagonal == other.diagonal
        )


class RodeursGame:
    """The rules of Rôdeurs with jumps in four directions or in eight.

    Attributes:
        info: the description of the game.
    """

    __slots__ = ("_default", "_diagonal", "info")

    def __init__(self, info: GameInfo, *, diagonal: bool) -> None:
        self.info: Final = info
        self._diagonal: Final = diagonal
        self._default: Final = RodeursPosition(*default_start(), 0, diagonal=diagonal)

    def start(self, setup: str | None = None) -> RodeursPosition:
        """The start position ``default`` or ``random:SEED``, or the one of a position string.

        Raises:
            PositionError: the game has no such set-up, or the position string is damaged.
        """
        return begin(setup, {"default": self._default}, self.parse_position, self._random)

    def parse_position(self, text: str) -> RodeursPosition:
        """Read a position string.

        Raises:
            PositionError: the string is damaged. `field` is ``position`` if there are not three fields.
                Otherwise it is ``square colours``, ``pawns`` or ``player to move``.
        """
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
        return RodeursPosition(*random_start(seed), 0, diagonal=self._diagonal)


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
    ),
    diagonal=True,
)
