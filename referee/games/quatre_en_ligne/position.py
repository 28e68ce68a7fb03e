"""The positions of Quatre en ligne, and the game. Source: rule sheet 003."""

from __future__ import annotations

from typing import Final

from referee.board import Scene
from referee.game import GameInfo
from referee.games.common import begin
from referee.games.quatre_en_ligne.board import PASS, QuatreBoard, QuatreMove
from referee.games.quatre_en_ligne.illegal import refuse
from referee.games.quatre_en_ligne.text import DRAWN, draw_board, read_position, scene, write_position
from referee.games.quatre_en_ligne.tiles import BIT, drift, has_line, longest_line, moved
from referee.outcome import Outcome


class QuatrePosition(QuatreBoard):
    """An immutable position. `QuatreGame` and `play` make positions."""

    __slots__ = ()

    def parse_move(self, text: str) -> QuatreMove:
        """Read a move and check that it is legal, without listing the other moves."""
        move = self.find_move(text)
        if move is None:
            refuse(text, self)
        return move

    def play(self, move: QuatreMove) -> QuatrePosition:
        """The position after a move that this position's own methods returned."""
        tiles, up, turn, corner = self.tiles, self.up, self.turn, self.corner
        own, other = self.pieces[turn], self.pieces[1 - turn]
        if move.source is None:
            if move.text != PASS.text:
                own |= BIT[self.square_of(move.target)]
            pieces = (other, own) if turn else (own, other)
            return QuatrePosition(corner, tiles, pieces, up, 1 - turn, None)
        source, target = BIT[self.square_of(move.source)], BIT[self.square_of(move.target)]
        own ^= source | target
        was_up = up & source != 0
        if was_up:
            up ^= source
        if was_up != move.is_jump:
            up |= target
        if move.taken is not None:
            tiles ^= BIT[self.square_of(move.taken)] | target
            columns, rows = drift(tiles)
            if columns or rows:
                corner = (corner[0] + columns, corner[1] + rows)
                tiles, own, other, up = (moved(bits, columns, rows) for bits in (tiles, own, other, up))
        winner = turn if has_line(own & up) else None
        return QuatrePosition(corner, tiles, (other, own) if turn else (own, other), up, 1 - turn, winner)

    def is_irreversible(self, move: QuatreMove) -> bool:
        """Whether the move places a piece: it stays, so no earlier position can occur again."""
        return move.source is None and move.text != PASS.text

    def outcome(self) -> Outcome | None:
        """The win of the player who has four face-up pieces in a line, or None."""
        return None if self.winner is None else Outcome.win(self.winner, 2, "line")

    def skip_turn(self) -> QuatrePosition:
        """The same position with the next seat to move."""
        return QuatrePosition(self.corner, self.tiles, self.pieces, self.up, 1 - self.turn, self.winner)

    def diagram(self, *, ascii_only: bool = False) -> str:
        """The board drawn as text for people, with the letters of the position string."""
        return draw_board(self, ascii_only=ascii_only)

    def scene(self) -> Scene:
        """What stands on the drawn board."""
        return scene(self)

    def __str__(self) -> str:
        return write_position(self)


class QuatreGame:
    """The rules of Quatre en ligne."""

    __slots__ = ("_start", "info")

    def __init__(self, info: GameInfo) -> None:
        self.info: Final = info
        self._start: Final = self.parse_position("_____/_____/_____/_____ 0,0 6 6 w")

    def start(self, setup: str | None = None) -> QuatrePosition:
        """The start position, or the position that a position string describes."""
        return begin(setup, {"default": self._start}, self.parse_position)

    def parse_position(self, text: str) -> QuatrePosition:
        """Read a position string."""
        return QuatrePosition(*read_position(text))

    def count(self, position: QuatrePosition) -> tuple[int, int]:
        """For each player: the pieces in the longest unbroken line of the player's face-up pieces."""
        white, red = position.pieces
        return longest_line(white & position.up), longest_line(red & position.up)


_ANY_TWO = (
    "A tile may be taken if any two of its four sides are free, whether they meet at a corner or"
    " are opposite."
)
_WHOLE_SIDES = (
    "The other tiles must stay connected by whole sides: tiles that only touch at their corners are"
    " not connected."
)
_FORCED = "A player who has no move at all passes. No other player may pass."

QUATRE_EN_LIGNE: Final = QuatreGame(
    GameInfo(
        id="quatre-en-ligne",
        title="Quatre en ligne",
        players=2,
        board="20 tiles, 5x4 at the start",
        ply_limit=400,
        draw_prior=0.05,
        sheet="003",
        rulings=(_ANY_TWO, _WHOLE_SIDES, _FORCED),
        drawn=DRAWN,
    )
)
