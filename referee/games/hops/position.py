"""The positions of HOPS, the ball game of 1983, and the game. Source: rule sheet 002."""

from __future__ import annotations

from typing import Final

from referee.board import Scene
from referee.game import GameInfo
from referee.games.common import begin
from referee.games.hops.actions import BIT, GRID, OUT
from referee.games.hops.board import HopsBoard, HopsMove
from referee.games.hops.illegal import refuse
from referee.games.hops.text import DRAWN, draw_board, read_position, scene, write_position


class HopsPosition(HopsBoard):
    """An immutable position. `HopsGame` and `play` make positions."""

    __slots__ = ()

    def parse_move(self, text: str) -> HopsMove:
        """Read a move along any paths and check that it is legal, without listing the other moves."""
        move = self.find_move(text)
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

    def skip_turn(self) -> HopsPosition:
        """The same position with the next seat to move."""
        return HopsPosition(self.blue, self.red, self.ball, 1 - self.turn)

    def diagram(self, *, ascii_only: bool = False) -> str:
        """The board drawn as text for people, with the letters of the position string."""
        return draw_board(self, ascii_only=ascii_only)

    def scene(self) -> Scene:
        """What stands on the drawn board."""
        return scene(self)

    def __str__(self) -> str:
        return write_position(self)


class HopsGame:
    """The rules of HOPS."""

    __slots__ = ("_start", "info")

    def __init__(self, info: GameInfo) -> None:
        self.info: Final = info
        home, away = GRID.set_of("a1 b1 c1 d1 e1 f1 g1"), GRID.set_of("a7 b7 c7 d7 e7 f7 g7")
        self._start: Final = HopsPosition(home, away, GRID.square["d1"], 0)

    def start(self, setup: str | None = None) -> HopsPosition:
        """The start position, or the position that a position string describes."""
        return begin(setup, {"default": self._start}, self.parse_position)

    def parse_position(self, text: str) -> HopsPosition:
        """Read a position string."""
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
        drawn=DRAWN,
    )
)
