"""What the rules of a game do with texts: list, play and refuse moves, and refuse position strings."""

from __future__ import annotations

from typing import TypeVar

import pytest

from referee import Game, MoveError, Position, PositionError

P = TypeVar("P", bound=Position)


def listed(position: Position) -> list[str]:
    """The texts of the legal moves, in their order."""
    return [str(move) for move in position.legal_moves()]


def after(position: P, *moves: str) -> P:
    """The position after these moves."""
    for move in moves:
        position = position.play(position.parse_move(move))
    return position


def refusal(position: Position, move: str) -> tuple[type[MoveError], str]:
    """The class and the sentence of the error for a text that is no legal move."""
    with pytest.raises(MoveError) as caught:
        position.parse_move(move)
    return type(caught.value), str(caught.value)


def damage(rules: Game, text: str) -> tuple[str, str]:
    """The field of a damaged position string that its error names, and the problem."""
    with pytest.raises(PositionError) as caught:
        rules.parse_position(text)
    field, _, problem = str(caught.value).partition(": ")
    assert field == caught.value.field
    assert problem.isprintable()
    return field, problem
