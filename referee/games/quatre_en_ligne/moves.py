"""Quatre en ligne's moves: what is written, with coordinates that never shift during a game."""

from __future__ import annotations

import re
from typing import Final, NoReturn

from referee.errors import MoveSyntaxError
from referee.game import MAX_MOVE_TEXT
from referee.games.common.notation import check_move_text, quoted
from referee.games.quatre_en_ligne.board import FARTHEST, Place

__all__ = ["NUMBER", "PASS", "QuatreMove", "named", "read_move"]

NUMBER: Final = r"(0|-?[1-9][0-9]{0,5})"
"""A coordinate as it is printed: no plus sign, no leading zeros, no minus before a zero."""

_PLACE = f"{NUMBER},{NUMBER}"
_MOVE = re.compile(f"{_PLACE}(?:>{_PLACE}(?:@{_PLACE})?)?")
_LOOSE_PLACE = r"[+-]?[0-9]+,[+-]?[0-9]+"
_LOOSE_MOVE = re.compile(f"{_LOOSE_PLACE}(?:>{_LOOSE_PLACE}(?:@{_LOOSE_PLACE})?)?")


class QuatreMove:
    """One turn: a piece placed, a piece moved, perhaps onto a tile laid for it, or a pass. Equal by its text.

    Attributes:
        text: its notation.
        target: where the piece goes; 0,0 for a pass.
        source: where it comes from; None when it is placed, and for a pass.
        taken: where the tile comes from that is laid at the target; None if none is.
        is_jump: whether the piece goes over the place between source and target.
    """

    __slots__ = ("is_jump", "source", "taken", "target", "text")

    def __init__(
        self, text: str, target: Place, source: Place | None, taken: Place | None, *, is_jump: bool
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


def named(place: Place) -> str:
    """A place as it is written: ``-1,2``."""
    return f"{place[0]},{place[1]}"


def read_move(text: str) -> QuatreMove:
    """Read a move that some position may allow.

    Raises:
        MoveSyntaxError: none does.
    """
    found = _MOVE.fullmatch(text) if len(text) <= MAX_MOVE_TEXT else None
    if found is None:
        if text == PASS.text:
            return PASS
        _no_move(text)
    x, y, to_x, to_y, from_x, from_y = found.groups()
    if to_x is None:
        return QuatreMove(text, (int(x), int(y)), None, None, is_jump=False)
    source, target = (int(x), int(y)), (int(to_x), int(to_y))
    across, up = abs(target[0] - source[0]), abs(target[1] - source[1])
    is_jump = across == 2 or up == 2
    if across > 2 or up > 2 or across + up == 0 or (is_jump and (across == 1 or up == 1)):
        raise MoveSyntaxError(
            f"{quoted(text)} is no move: a piece steps to one of the eight places round it, or jumps to "
            "the next but one in a straight line"
        )
    taken = None
    if from_x is not None:
        taken = (int(from_x), int(from_y))
        if taken == target:
            raise MoveSyntaxError(f"{quoted(text)} is no move: a tile is not laid where it was")
        if taken == source:
            raise MoveSyntaxError(f"{quoted(text)} is no move: a tile with a piece on it is not taken")
    return QuatreMove(text, target, source, taken, is_jump=is_jump)


def _no_move(text: str) -> NoReturn:
    """Say why a text is no move in any position."""
    check_move_text(text)
    if _LOOSE_MOVE.fullmatch(text):
        reason = (
            f"coordinates are from -{FARTHEST} to {FARTHEST}, without a plus sign, leading zeros or a minus "
            "before 0"
        )
    else:
        reason = (
            "a move is a place such as 2,1, a way such as 2,1>3,2, one onto a tile taken from elsewhere such "
            "as 3,1>5,1@4,0, or pass"
        )
    raise MoveSyntaxError(f"{quoted(text)} is no move: {reason}")
