"""The board of Quatre en ligne: its tiles and pieces, its moves, and which of them are legal.

The coordinates in a move's text never change their meaning during a game. Source: rule sheet 003.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from typing import Final

from referee.game import MAX_MOVE_TEXT
from referee.games.common import KeyedPosition
from referee.games.grid import squares
from referee.games.quatre_en_ligne.tiles import (
    BIT,
    MARGIN,
    NUMBER,
    SIZE,
    Coordinates,
    beside,
    free_sides,
    named,
    named_places,
    reach,
    splits,
)

PLAYERS: Final = ("White", "Red")
"""The players' names, by seat."""
PIECES: Final = 6
"""The number of pieces of each player."""

_NOWHERE = 0
"""The square for every place outside the window. It never has a tile, and no tile can be laid there."""

_PLACE = f"{NUMBER},{NUMBER}"
MOVE = re.compile(f"{_PLACE}(?:>{_PLACE}(?:@{_PLACE})?)?")
"""The pattern of a move that is not a pass."""


class QuatreMove:
    """One turn: a piece is placed; or it moves, perhaps onto a tile laid for it; or the player passes.

    Moves with the same text are equal.

    Attributes:
        text: the move in the game's notation.
        target: the place where the piece goes; 0,0 for a pass.
        source: the place that the piece leaves; None for a new piece and for a pass.
        taken: the old place of the tile that is laid at the target; None if no tile is laid.
        is_jump: whether the piece jumps over the place between source and target.
    """

    __slots__ = ("is_jump", "source", "taken", "target", "text")

    def __init__(
        self,
        text: str,
        target: Coordinates,
        source: Coordinates | None,
        taken: Coordinates | None,
        *,
        is_jump: bool,
    ) -> None:
        self.text: Final = text
        self.target: Final = target
        self.source: Final = source
        self.taken: Final = taken
        self.is_jump: Final = is_jump

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<QuatreMove {self.text}>"

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, QuatreMove) and self.text == other.text


PASS: Final = QuatreMove("pass", (0, 0), None, None, is_jump=False)


class QuatreBoard(KeyedPosition):
    """The tiles and pieces, and whose turn it is.

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

    def key(self) -> Hashable:
        """The tiles, the pieces, their faces and the turn; repetition compares these keys.

        The key does not depend on where the window has moved.
        """
        return (self.tiles, self.pieces, self.up, self.turn)

    def identity(self) -> Hashable:
        """The key, and the place of the window."""
        return (self.key(), self.corner)

    def legal_moves(self) -> Iterator[QuatreMove]:
        """The moves that lay no tile, and then the moves that lay one; or only a pass."""
        if self.winner is not None:
            return
        place_of = self.place_of
        if self.is_placing:
            for square in squares(self.tiles & ~(self.pieces[0] | self.pieces[1])):
                place = place_of(square)
                yield QuatreMove(named(place), place, None, None, is_jump=False)
            return
        is_stuck = True
        for taken, source, targets in self._ways():
            taken_place = None if taken is None else place_of(taken)
            ending = "" if taken_place is None else f"@{named(taken_place)}"
            source_place = place_of(source)
            beginning = f"{named(source_place)}>"
            for target in squares(targets):
                place = place_of(target)
                is_jump = max(abs(place[0] - source_place[0]), abs(place[1] - source_place[1])) == 2
                text = f"{beginning}{named(place)}{ending}"
                yield QuatreMove(text, place, source_place, taken_place, is_jump=is_jump)
                is_stuck = False
        if is_stuck:
            yield PASS

    def count_moves(self) -> int:
        """The number of moves that `legal_moves` yields; perft uses it for the last ply."""
        if self.winner is not None:
            return 0
        occupied = self.pieces[0] | self.pieces[1]
        if occupied.bit_count() < 2 * PIECES:
            return (self.tiles & ~occupied).bit_count()
        return sum(targets.bit_count() for _, _, targets in self._ways()) or 1  # the pass

    def _ways(self) -> Iterator[tuple[int | None, int, int]]:
        """The moves after all pieces are placed: the tile taken or None, the piece, and the piece's targets.

        All of them are squares.
        """
        tiles, occupied = self.tiles, self.pieces[0] | self.pieces[1]
        reached = [(source, reach(source, occupied)) for source in squares(self.pieces[self.turn])]
        for source, targets in reached:
            yield None, source, targets & tiles
        for taken in squares(tiles & ~occupied):
            if free_sides(tiles, taken) >= 2 and not splits(tiles, taken):
                places = beside(tiles ^ BIT[taken]) & ~tiles & named_places(self.corner)
                for source, targets in reached:
                    yield taken, source, targets & places

    def find_move(self, text: str) -> QuatreMove | None:
        """The legal move that a text stands for; None if the text is not a legal move."""
        move = read_text(text)
        if move is None or self.winner is not None:
            return None
        if move is PASS:
            return move if next(self.legal_moves()) is PASS else None
        tiles, occupied = self.tiles, self.pieces[0] | self.pieces[1]
        target = self.square_of(move.target)
        is_placing = self.is_placing
        if move.source is None:
            return move if is_placing and tiles & ~occupied & BIT[target] else None
        source = self.square_of(move.source)
        if is_placing or not self.pieces[self.turn] & BIT[source]:
            return None
        if move.taken is None:
            if not tiles & ~occupied & BIT[target]:
                return None
        else:
            taken = self.square_of(move.taken)
            rest = tiles ^ BIT[taken]
            if (
                not tiles & ~occupied & BIT[taken]
                or free_sides(tiles, taken) < 2
                or splits(tiles, taken)
                or not beside(rest) & ~tiles & BIT[target]
            ):
                return None
        if move.is_jump and not occupied & BIT[(source + target) // 2]:
            return None
        return move


def read_text(text: str) -> QuatreMove | None:
    """The move that a text describes, legal or not; None if it is not a move in any position."""
    match = MOVE.fullmatch(text) if len(text) <= MAX_MOVE_TEXT else None
    if match is None:
        return PASS if text == PASS.text else None
    x, y, to_x, to_y, from_x, from_y = match.groups()
    if to_x is None:
        return QuatreMove(text, (int(x), int(y)), None, None, is_jump=False)
    source, target = (int(x), int(y)), (int(to_x), int(to_y))
    taken = None if from_x is None else (int(from_x), int(from_y))
    across, up = abs(target[0] - source[0]), abs(target[1] - source[1])
    is_jump = across == 2 or up == 2
    if across > 2 or up > 2 or across + up == 0 or (is_jump and (across == 1 or up == 1)):
        return None
    if taken in (source, target):
        return None
    return QuatreMove(text, target, source, taken, is_jump=is_jump)
