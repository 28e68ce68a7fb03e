"""Quatre en ligne: positions and the game.

Source: rule sheet 003. The drifting board is in `quatre_en_ligne_board`, the notation of moves in
`quatre_en_ligne_moves`, that of positions in `quatre_en_ligne_text`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Final

from referee.errors import IllegalMove
from referee.game import GameInfo
from referee.games.common.grid import squares
from referee.games.common.setup import begin
from referee.games.quatre_en_ligne.board import (
    BIT,
    MARGIN,
    SIZE,
    Place,
    beside,
    drift,
    free_sides,
    has_line,
    moved,
    named_places,
    reach,
    splits,
)
from referee.games.quatre_en_ligne.diagram import diagram
from referee.games.quatre_en_ligne.moves import PASS, QuatreMove, named, read_move
from referee.games.quatre_en_ligne.text import (
    COLOURS,
    PIECES,
    Fields,
    read_position,
    write_position,
)
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
        self, corner: Place, tiles: int, pieces: tuple[int, int], up: int, turn: int, winner: int | None
    ) -> None:
        self.corner: Final = corner
        self.tiles: Final = tiles
        self.pieces: Final = pieces
        self.up: Final = up
        self.turn: Final = turn
        self.winner: Final = winner

    def legal_moves(self) -> Iterator[QuatreMove]:
        """All moves, places always in order of rows from the bottom and then of columns from the left.

        First those without a tile, by the piece's place and then by its target; then those with one, by the
        tile's old place, the piece's place, the target. Or only a pass.
        """
        if self.winner is not None:
            return
        if self._is_placing():
            for square in squares(self.tiles & ~(self.pieces[0] | self.pieces[1])):
                place = self._place(square)
                yield QuatreMove(named(place), place, None, None, is_jump=False)
            return
        is_stuck = True
        for taken, source, targets in self._ways():
            taken_place = None if taken is None else self._place(taken)
            ending = "" if taken_place is None else f"@{named(taken_place)}"
            source_place = self._place(source)
            beginning = f"{named(source_place)}>"
            for target in squares(targets):
                place = self._place(target)
                is_jump = max(abs(place[0] - source_place[0]), abs(place[1] - source_place[1])) == 2
                text = f"{beginning}{named(place)}{ending}"
                yield QuatreMove(text, place, source_place, taken_place, is_jump=is_jump)
                is_stuck = False
        if is_stuck:
            yield PASS

    def count_moves(self) -> int:
        """How many moves `legal_moves` yields, without making them: what perft needs of the last ply."""
        if self.winner is not None:
            return 0
        if self._is_placing():
            return (self.tiles & ~(self.pieces[0] | self.pieces[1])).bit_count()
        return sum(targets.bit_count() for _, _, targets in self._ways()) or 1  # the pass

    def parse_move(self, text: str) -> QuatreMove:
        """Read a move, and test this one alone.

        Raises:
            MoveSyntaxError: the text is no move of this game.
            IllegalMove: it is one, and the rules forbid it here.
        """
        move = read_move(text)
        if self.winner is not None:
            raise IllegalMove(f"the game is over: {COLOURS[self.winner]} has four in a line")
        if move.source is not None:
            self._check_moving(move, move.source)
        elif text != PASS.text:
            self._check_placing(move)
        else:
            first = next(self.legal_moves())
            if first != PASS:
                raise IllegalMove(
                    f"{COLOURS[self.turn]} may not pass while there is another move, such as {first}"
                )
        return move

    def play(self, move: QuatreMove) -> QuatrePosition:
        """The position after a move that came from this position's own methods."""
        tiles, up, turn, corner = self.tiles, self.up, self.turn, self.corner
        own, other = self.pieces[turn], self.pieces[1 - turn]
        if move.source is None:
            if move.text != PASS.text:
                own |= BIT[self._square(move.target)]
            pieces = (other, own) if turn else (own, other)
            return QuatrePosition(corner, tiles, pieces, up, 1 - turn, None)
        source, target = BIT[self._square(move.source)], BIT[self._square(move.target)]
        own ^= source | target
        was_up = up & source != 0
        if was_up:
            up ^= source
        if was_up != move.is_jump:
            up |= target
        if move.taken is not None:
            tiles ^= BIT[self._square(move.taken)] | target
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
        return diagram(self._fields(), self.winner, ascii_only=ascii_only)

    def __str__(self) -> str:
        return write_position(self._fields())

    def __repr__(self) -> str:
        return f"<QuatrePosition {self}>"

    def __hash__(self) -> int:
        return hash((self.corner, self.key()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, QuatrePosition) and self.corner == other.corner and self.key() == other.key()

    def _fields(self) -> Fields:
        return Fields(self.corner, self.tiles, self.pieces, self.up, self.turn)

    def _square(self, place: Place) -> int:
        """The square of a place, or ``_NOWHERE`` outside the window."""
        column = place[0] - self.corner[0] + MARGIN
        row = place[1] - self.corner[1] + MARGIN
        return SIZE * row + column if 0 <= column < SIZE and 0 <= row < SIZE else _NOWHERE

    def _place(self, square: int) -> Place:
        row, column = divmod(square, SIZE)
        return self.corner[0] + column - MARGIN, self.corner[1] + row - MARGIN

    def _is_placing(self) -> bool:
        return (self.pieces[0] | self.pieces[1]).bit_count() < 2 * PIECES

    def _owner(self, square: int) -> str | None:
        """The colour of the piece on a square."""
        for name, pieces in zip(COLOURS, self.pieces, strict=True):
            if pieces & BIT[square]:
                return name
        return None

    def _ways(self) -> Iterator[tuple[int | None, int, int]]:
        """When all pieces stand: a tile taken or none, a piece, and the squares where it then can go."""
        tiles, occupied = self.tiles, self.pieces[0] | self.pieces[1]
        reached = [(source, reach(source, occupied)) for source in squares(self.pieces[self.turn])]
        for source, targets in reached:
            yield None, source, targets & tiles
        for taken in squares(tiles & ~occupied):
            if free_sides(tiles, taken) >= 2 and not splits(tiles, taken):
                places = beside(tiles ^ BIT[taken]) & ~tiles & named_places(self.corner)
                for source, targets in reached:
                    yield taken, source, targets & places

    def _check_placing(self, move: QuatreMove) -> None:
        """Raise IllegalMove unless a piece can be placed there."""
        if not self._is_placing():
            raise IllegalMove(
                "all twelve pieces are placed: a move names the piece's place and its target, as in 2,1>3,2"
            )
        self._check_empty_tile(move)

    def _check_empty_tile(self, move: QuatreMove) -> None:
        target = self._square(move.target)
        if not self.tiles & BIT[target]:
            raise IllegalMove(f"there is no tile at {named(move.target)}")
        if owner := self._owner(target):
            raise IllegalMove(f"{owner}'s piece is at {named(move.target)} already")

    def _check_moving(self, move: QuatreMove, source_place: Place) -> None:
        """Raise IllegalMove unless the piece can go there, on a tile that is there or can be laid there."""
        if self._is_placing():
            raise IllegalMove("no piece moves before all twelve are placed")
        source = self._square(source_place)
        owner = self._owner(source)
        if owner is None:
            raise IllegalMove(f"there is no piece at {named(source_place)}")
        colour = COLOURS[self.turn]
        if owner != colour:
            raise IllegalMove(f"it is {colour}'s turn, and the piece at {named(source_place)} is {owner}'s")
        if move.taken is None:
            self._check_empty_tile(move)
        else:
            self._check_tile(move.taken, move.target)
        if move.is_jump:
            over = (source + self._square(move.target)) // 2
            if not (self.pieces[0] | self.pieces[1]) & BIT[over]:
                raise IllegalMove(
                    f"the piece at {named(source_place)} cannot jump to {named(move.target)}: "
                    f"there is no piece at {named(self._place(over))}"
                )

    def _check_tile(self, taken_place: Place, place: Place) -> None:
        """Raise IllegalMove unless the tile of one place can be laid at the other."""
        tiles, taken, target = self.tiles, self._square(taken_place), self._square(place)
        if not tiles & BIT[taken]:
            raise IllegalMove(f"there is no tile at {named(taken_place)}")
        refused = f"the tile at {named(taken_place)} cannot be taken: "
        if owner := self._owner(taken):
            raise IllegalMove(f"{refused}{owner}'s piece stands on it")
        free = free_sides(tiles, taken)
        if free < 2:
            raise IllegalMove(f"{refused}{('none', 'only one')[free]} of its sides is free")
        if splits(tiles, taken):
            raise IllegalMove(f"{refused}the others would not hold together without it")
        if tiles & BIT[target]:
            raise IllegalMove(f"no tile can be laid at {named(place)}: there is one already")
        if not beside(tiles ^ BIT[taken]) & BIT[target]:
            raise IllegalMove(
                f"no tile can be laid at {named(place)}: it would share no side with another tile"
            )


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
        fields = read_position(text)
        mover = 1 - fields.turn
        winner = mover if has_line(fields.pieces[mover] & fields.up) else None
        return QuatrePosition(fields.corner, fields.tiles, fields.pieces, fields.up, fields.turn, winner)


_ANY_TWO = (
    "A tile may be taken when any two of its four sides are free: two that meet at a corner, or two opposite "
    "ones."
)
_WHOLE_SIDES = (
    "The other tiles hold together when they are connected by whole sides: two that only touch at their "
    "corners are apart."
)
_FORCED = "A player who has no move at all passes; nobody else may."

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
