"""The positions of Quatre en ligne, and the game. Source: rule sheet 003."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Final

from referee.game import GameInfo
from referee.games.common.position import KeyedPosition
from referee.games.common.setup import begin
from referee.games.quatre_en_ligne.board import (
    BIT,
    MARGIN,
    PIECES,
    SIZE,
    Coordinates,
    drift,
    has_line,
    longest_line,
    moved,
)
from referee.games.quatre_en_ligne.diagram import draw_board
from referee.games.quatre_en_ligne.illegal import refuse
from referee.games.quatre_en_ligne.moves import PASS, QuatreMove, count_moves, list_moves, read_move
from referee.games.quatre_en_ligne.text import read_position, write_position
from referee.outcome import Outcome

__all__ = ["QUATRE_EN_LIGNE", "QuatreGame", "QuatrePosition"]

_NOWHERE = 0
"""The square for every place outside the window. It never has a tile, and no tile can be laid there."""


class QuatrePosition(KeyedPosition):
    """An immutable position. `QuatreGame` and `play` make positions.

    Attributes:
        corner: the place of the lower left corner of the tiles' box; it determines the place of the window.
        tiles: the squares with a tile.
        pieces: the squares of White's and of Red's pieces.
        up: the squares of the pieces that are face up.
        turn: the seat to move, 0-based; in a finished game, the seat that would be next.
        winner: the seat that has four in a line, or None.
    """

    __slots__ = ("corner", "pieces", "tiles", "turn", "up", "winner")

    def __init__(
        self, corner: Coordinates, tiles: int, pieces: tuple[int, int], up: int, turn: int, winner: int | None
    ) -> None:
        self.corner: Final = corner
        self.tiles: Final = tiles
        self.pieces: Final = pieces
        self.up: Final = up
        self.turn: Final = turn
        self.winner: Final = winner

    @property
    def is_placing(self) -> bool:
        """Whether players still have pieces in hand."""
        return (self.pieces[0] | self.pieces[1]).bit_count() < 2 * PIECES

    def square_of(self, place: Coordinates) -> int:
        """The square of a place. Outside the window it is a square that never has a tile."""
        column = place[0] - self.corner[0] + MARGIN
        row = place[1] - self.corner[1] + MARGIN
        return SIZE * row + column if 0 <= column < SIZE and 0 <= row < SIZE else _NOWHERE

    def place_of(self, square: int) -> Coordinates:
        """The place of a square."""
        row, column = divmod(square, SIZE)
        return self.corner[0] + column - MARGIN, self.corner[1] + row - MARGIN

    def legal_moves(self) -> Iterator[QuatreMove]:
        """The moves that lay no tile, and then the moves that lay one; or only a pass.

        The former are sorted by the piece's place and then by the target; the latter by the tile's old place,
        the piece's place and the target. Places are sorted by row from the bottom, and then by column.
        """
        return list_moves(self)

    def count_moves(self) -> int:
        """The number of moves that `legal_moves` yields; perft uses it for the last ply."""
        return count_moves(self)

    def parse_move(self, text: str) -> QuatreMove:
        """Read a move and check that it is legal, without listing the other moves.

        Raises:
            MoveSyntaxError: the text is not a move in any position.
            IllegalMove: the rules forbid the move in this position, or the game is over.
        """
        move = read_move(text, self)
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

    def key(self) -> Hashable:
        """The tiles, the pieces, their faces and the turn; repetition compares these keys.

        The key does not depend on where the window has moved.
        """
        return (self.tiles, self.pieces, self.up, self.turn)

    def skip_turn(self) -> QuatrePosition:
        """The same position with the next seat to move."""
        return QuatrePosition(self.corner, self.tiles, self.pieces, self.up, 1 - self.turn, self.winner)

    def diagram(self, *, ascii_only: bool = False) -> str:
        """The board drawn as text for people, with the letters of the position string."""
        return draw_board(self, ascii_only=ascii_only)

    def __str__(self) -> str:
        return write_position(self)

    def __hash__(self) -> int:
        return hash((self.corner, self.key()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, QuatrePosition) and self.corner == other.corner and self.key() == other.key()


class QuatreGame:
    """The rules of Quatre en ligne.

    Attributes:
        info: the description of the game.
    """

    __slots__ = ("_start", "info")

    def __init__(self, info: GameInfo) -> None:
        self.info: Final = info
        self._start: Final = self.parse_position("_____/_____/_____/_____ 0,0 6 6 w")

    def start(self, setup: str | None = None) -> QuatrePosition:
        """The start position, or the position that a position string describes.

        Raises:
            PositionError: the game has no such set-up, or the position string is damaged.
        """
        return begin(setup, {"default": self._start}, self.parse_position)

    def parse_position(self, text: str) -> QuatrePosition:
        """Read a position string.

        Raises:
            PositionError: the string is damaged. `field` is ``position`` if there are not five fields.
                Otherwise it is ``board``, ``corner``, ``white in hand``, ``red in hand`` or
                ``player to move``.
        """
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
    )
)
