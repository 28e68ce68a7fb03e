"""The evaluation for chess. A pawn is worth 100."""

from __future__ import annotations

from knowledge import Knowledge

from referee import Position

_VALUES = {"p": 100, "n": 310, "b": 330, "r": 500, "q": 950}
_STEP = 6  # for each row that a pawn, knight or bishop has advanced
_STEPPING = "pnb"


def evaluate(position: Position) -> int:
    """The value for White: the pieces, and a little for those that have advanced."""
    value = 0
    for row, cells in enumerate(str(position).split(" ")[0].split("/")):  # from row 8 down
        for letter in cells:
            worth = _VALUES.get(letter.lower(), 0)
            if letter.isupper():
                value += worth + _STEP * (7 - row) * (letter.lower() in _STEPPING)
            elif letter.islower():
                value -= worth + _STEP * row * (letter in _STEPPING)
    return value


CHESS = Knowledge(evaluate)
