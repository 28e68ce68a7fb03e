"""Quatre en ligne: positions and the game. Source: rule sheet 003."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Final

from referee.game import GameInfo
from referee.games.common.setup import begin
from referee.games.quatre_en_ligne.board import BIT, MARGIN, PIECES, SIZE, Coordinates, drift, has_line, moved
from referee.games.quatre_en_ligne.diagram import draw_board
from referee.games.quatre_en_ligne.illegal import refuse
from referee.games.quatre_en_ligne.moves import PASS, QuatreMove, count_moves, list_moves, read_move
from referee.games.quatre_en_ligne.text import read_position, write_position
from referee.outcome import Outcome

__all__ = ["QUATRE_EN_LIGNE", "QuatreGame", "QuatrePosition"]

_NOWHERE = 0
"""The square of every place outside the window; neither a tile nor a place for one is ever there."""


class QuatrePosition:
    """An immutable position; made by the `QuatreGame` and by `play`.

    Attributes:
        corner: the place of the lower left corner of the tiles' box, by which the window is laid.
        tiles: the squares with a tile.
        pieces: the squares of White's pieces, and of Red's.
        up: the squares of the pieces that are face up.
        turn: the seat to move, 0-based; in a finished game the one that would be next.
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
        """Whether some pieces are still in hand."""
        return (self.pieces[0] | self.pieces[1]).bit_count() < 2 * PIECES

    def square_of(self, place: Coordinates) -> int:
        """The square of a place; outside the window one that never holds a tile nor a place for one."""
        column = place[0] - self.corner[0] + MARGIN
        row = place[1] - self.corner[1] + MARGIN
        return SIZE * row + column if 0 <= column < SIZE and 0 <= row < SIZE else _NOWHERE

    def place_of(self, square: int) -> Coordinates:
        """The place of a square."""
        row, column = divmod(square, SIZE)
        return self.corner[0] + column - MARGIN, self.corner[1] + row - MARGIN

    def legal_moves(self) -> Iterator[QuatreMove]:
        """All moves, places always in order of rows from the bottom and then of columns from the left.

        First those without a tile, by the piece's place and then by its target; then those with one, by the
        tile's old place, the piece's place, the target. Or only a pass.
        """
        return list_moves(self)

    def count_moves(self) -> int:
        """How many moves `legal_moves` yields, without making them: what perft needs of the last ply."""
        return count_moves(self)

    def parse_move(self, text: str) -> QuatreMove:
        """Read a move, and test this one alone.

        Raises:
            MoveSyntaxError: the text is no move of this game.
            IllegalMove: it is one, and the rules forbid it here; or the game is over.
        """
        move = read_move(text, self)
        if move is None:
            refuse(text, self)
        return move

    def play(self, move: QuatreMove) -> QuatrePosition:
        """The position after a move that came from this position's own methods."""
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

    def outcome(self) -> Outcome | None:
        """The win of whoever has four face-up pieces in a line."""
        return None if self.winner is None else Outcome.win(self.winner, 2, "line")

    def key(self) -> Hashable:
        """Tiles, pieces, faces and turn in the window, wherever that has drifted."""
        return (self.tiles, self.pieces, self.up, self.turn)

    def skip_turn(self) -> QuatrePosition:
        """The same position with the other seat to move."""
        return QuatrePosition(self.corner, self.tiles, self.pieces, self.up, 1 - self.turn, self.winner)

    def diagram(self, *, ascii_only: bool = False) -> str:
        """The board drawn for people: blank where no tile is, capitals for pieces that are face up."""
        return draw_board(self, ascii_only=ascii_only)

    def __str__(self) -> str:
        return write_position(self)

    def __repr__(self) -> str:
        return f"<QuatrePosition {self}>"

    def __hash__(self) -> int:
        return hash((self.corner, self.key()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, QuatrePosition) and self.corner == other.corner and self.key() == other.key()


class QuatreGame:
    """The rules.

    Attributes:
        info: the game's description.
    """

    __slots__ = ("_start", "info")

    def __init__(self, info: GameInfo) -> None:
        self.info: Final = info
        self._start: Final = self.parse_position("_____/_____/_____/_____ 0,0 6 6 w")

    def start(self, setup: str | None = None) -> QuatrePosition:
        """The start position, or the one that a position string describes.

        Raises:
            PositionError: another set-up was asked for, or the string is damaged.
        """
        return begin(setup, {"default": self._start}, self.parse_position)

    def parse_position(self, text: str) -> QuatrePosition:
        """Read a position string.

        Raises:
            PositionError: naming the damaged field: ``position`` when there are not five of them, otherwise
                ``board``, ``corner``, ``white in hand``, ``red in hand`` or ``player to move``.
        """
        return QuatrePosition(*read_position(text))


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
