"""The moves of Quatre en ligne: the legal moves of a position, and reading one move.

The coordinates in a move's text never change their meaning during a game. The module `illegal` explains why a
text is not a legal move. Source: rule sheet 003.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from referee.game import MAX_MOVE_TEXT
from referee.games.common.grid import squares
from referee.games.quatre_en_ligne.board import (
    BIT,
    NUMBER,
    PIECES,
    Coordinates,
    beside,
    free_sides,
    named,
    named_places,
    reach,
    splits,
)

if TYPE_CHECKING:
    from referee.games.quatre_en_ligne.position import QuatrePosition

__all__ = [
    "MOVE",
    "PASS",
    "QuatreMove",
    "count_moves",
    "list_moves",
    "read_move",
    "read_text",
]


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


# --- all moves of a position -------------------------------------------------------------------------------


def list_moves(position: QuatrePosition) -> Iterator[QuatreMove]:
    """The moves that lay no tile, and then the moves that lay one; or only a pass."""
    if position.winner is not None:
        return
    place_of = position.place_of
    if position.is_placing:
        for square in squares(position.tiles & ~(position.pieces[0] | position.pieces[1])):
            place = place_of(square)
            yield QuatreMove(named(place), place, None, None, is_jump=False)
        return
    is_stuck = True
    for taken, source, targets in _ways(position):
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


def count_moves(position: QuatrePosition) -> int:
    """The number of moves that `list_moves` yields, counted without making the moves."""
    if position.winner is not None:
        return 0
    occupied = position.pieces[0] | position.pieces[1]
    if occupied.bit_count() < 2 * PIECES:
        return (position.tiles & ~occupied).bit_count()
    return sum(targets.bit_count() for _, _, targets in _ways(position)) or 1  # the pass


def _ways(position: QuatrePosition) -> Iterator[tuple[int | None, int, int]]:
    """The moves after all pieces are placed: the tile taken or None, the piece, and the piece's targets.

    All of them are squares.
    """
    tiles, occupied = position.tiles, position.pieces[0] | position.pieces[1]
    reached = [(source, reach(source, occupied)) for source in squares(position.pieces[position.turn])]
    for source, targets in reached:
        yield None, source, targets & tiles
    for taken in squares(tiles & ~occupied):
        if free_sides(tiles, taken) >= 2 and not splits(tiles, taken):
            places = beside(tiles ^ BIT[taken]) & ~tiles & named_places(position.corner)
            for source, targets in reached:
                yield taken, source, targets & places


# --- one move ----------------------------------------------------------------------------------------------

_PLACE = f"{NUMBER},{NUMBER}"
MOVE = re.compile(f"{_PLACE}(?:>{_PLACE}(?:@{_PLACE})?)?")
"""The pattern of a move that is not a pass."""


def read_move(text: str, position: QuatrePosition) -> QuatreMove | None:
    """The legal move that a text stands for; None if the text is not a legal move."""
    move = read_text(text)
    if move is None or position.winner is not None:
        return None
    if move is PASS:
        return move if next(list_moves(position)) is PASS else None
    tiles, occupied = position.tiles, position.pieces[0] | position.pieces[1]
    target = position.square_of(move.target)
    is_placing = position.is_placing
    if move.source is None:
        return move if is_placing and tiles & ~occupied & BIT[target] else None
    source = position.square_of(move.source)
    if is_placing or not position.pieces[position.turn] & BIT[source]:
        return None
    if move.taken is None:
        if not tiles & ~occupied & BIT[target]:
            return None
    else:
        taken = position.square_of(move.taken)
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
