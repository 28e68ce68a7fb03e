"""The positions of HOPS, the ball game of 1983, and the game. Source: rule sheet 002."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Final

from referee.game import GameInfo
from referee.games.common.position import KeyedPosition
from referee.games.common.setup import begin
from referee.games.hops.action_sequences import has_turn
from referee.games.hops.board import BIT, GRID, OUT
from referee.games.hops.diagram import draw_board
from referee.games.hops.illegal import refuse
from referee.games.hops.moves import HopsMove, list_moves, read_move
from referee.games.hops.text import read_position, write_position
from referee.outcome import Outcome

__all__ = ["HOPS", "HopsGame", "HopsPosition"]


class HopsPosition(KeyedPosition):
    """An immutable position. `HopsGame` and `play` make positions.

    Attributes:
        blue: the squares of Blue's pawns.
        red: the squares of Red's pawns.
        ball: the square of the carrier; ``OUT`` after the ball has gone out.
        turn: the seat to move, 0-based; in a finished game, the seat that would be next, which has lost.
    """

    __slots__ = ("ball", "blue", "red", "turn")

    def __init__(self, blue: int, red: int, ball: int, turn: int) -> None:
        self.blue: Final = blue
        self.red: Final = red
        self.ball: Final = ball
        self.turn: Final = turn

    @property
    def sides(self) -> tuple[int, int]:
        """The squares of the pawns of the seat to move, and of the opponent's pawns."""
        return (self.red, self.blue) if self.turn else (self.blue, self.red)

    def legal_moves(self) -> Iterator[HopsMove]:
        """The canonical moves: short texts before long texts, and equally long texts in ASCII order."""
        return list_moves(self)

    def parse_move(self, text: str) -> HopsMove:
        """Read a move along any paths and check that it is legal, without listing the other moves.

        Raises:
            MoveSyntaxError: the text is not a move in any position.
            IllegalMove: the rules forbid the move in this position, or the game is over.
        """
        move = read_move(text, self)
        if move is None:
            refuse(text, self)
        return move

    def play(self, move: HopsMove) -> HopsPosition:
        """The position after a move that this position's own methods returned."""
        own, ball = self.red if self.turn else self.blue, self.ball
        for start, end, takes in move.actions:
            own ^= BIT[start]
            if end != OUT:
                own |= BIT[end]
            if takes or start == ball:
                ball = end
        if self.turn:
            return HopsPosition(self.blue, own, ball, 0)
        return HopsPosition(own, self.red, ball, 1)

    def is_irreversible(self, move: HopsMove) -> bool:
        """Always false: nothing is captured, so an earlier position can occur again."""
        return False

    def outcome(self) -> Outcome | None:
        """The win of the opponent of the seat to move, or None.

        The opponent has won if the ball has gone out, or if the seat to move cannot complete a turn.
        """
        if self.ball == OUT:
            return Outcome.win(1 - self.turn, 2, "goal")
        if has_turn(*self.sides, self.ball, self.turn):
            return None
        return Outcome.win(1 - self.turn, 2, "blocked")

    def key(self) -> Hashable:
        """The pawns, the carrier and the turn; repetition compares these keys."""
        return (self.blue, self.red, self.ball, self.turn)

    def skip_turn(self) -> HopsPosition:
        """The same position with the next seat to move."""
        return HopsPosition(self.blue, self.red, self.ball, 1 - self.turn)

    def diagram(self, *, ascii_only: bool = False) -> str:
        """The board drawn as text for people, with the letters of the position string."""
        return draw_board(self, ascii_only=ascii_only)

    def __str__(self) -> str:
        return write_position(self)


class HopsGame:
    """The rules of HOPS.

    Attributes:
        info: the description of the game.
    """

    __slots__ = ("_start", "info")

    def __init__(self, info: GameInfo) -> None:
        self.info: Final = info
        home, away = GRID.set_of("a1 b1 c1 d1 e1 f1 g1"), GRID.set_of("a7 b7 c7 d7 e7 f7 g7")
        self._start: Final = HopsPosition(home, away, GRID.square["d1"], 0)

    def start(self, setup: str | None = None) -> HopsPosition:
        """The start position, or the position that a position string describes.

        Raises:
            PositionError: the game has no such set-up, or the position string is damaged.
        """
        return begin(setup, {"default": self._start}, self.parse_position)

    def parse_position(self, text: str) -> HopsPosition:
        """Read a position string.

        Raises:
            PositionError: the string is damaged. `field` is ``position`` if there are not two fields.
                Otherwise it is ``board`` or ``player to move``.
        """
        return HopsPosition(*read_position(text))

    def count(self, position: HopsPosition) -> tuple[int, int]:
        """For each player: the rows from the player's home row to the ball, whoever has the ball."""
        row = position.ball // GRID.columns
        return row, GRID.rows - 1 - row


_PLACES = (
    "An action ends on a different square from where it began. A pawn does not visit a square twice"
    " with the ball, or twice without it. After it takes the ball, it may visit its earlier squares"
    " again."
)
_TO_AND_FRO = (
    "No action contains a jump and its reverse, whatever lies between the two, even if the pawn"
    " took the ball in between."
)
_BLOCKED = "A player who cannot complete a turn loses."
_AT_ONCE = (
    "The game ends as soon as the ball goes out. If the first action carries it out, there is no"
    " second action."
)

HOPS: Final = HopsGame(
    GameInfo(
        id="hops",
        title="HOPS, the ball game",
        players=2,
        board="7x7",
        ply_limit=400,
        draw_prior=0.05,
        sheet="002",
        rulings=(_PLACES, _TO_AND_FRO, _BLOCKED, _AT_ONCE),
    )
)
