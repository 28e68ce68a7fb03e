"""The position strings of Rôdeurs: reading and writing them. Source: rule sheet 001."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.plurals import counted
from referee.errors import PositionError
from referee.games.common.grid import squares
from referee.games.common.notation import EMPTY, quoted, read_rows, split_fields, squares_with, write_rows
from referee.games.rodeurs.board import ALL_PAWNS, GREY, GRID, MIRROR, Pawns

if TYPE_CHECKING:
    from referee.games.rodeurs.position import RodeursPosition

__all__ = ["LETTERS", "cells_of", "colours_of", "read_position", "write_position"]

LETTERS: Final = "gyr"
"""The letters of green, yellow and red pawns."""
_SQUARES: Final = "square colours"
_PAWNS: Final = "pawns"
_TURN: Final = "player to move"
_FEW: Final = 2
"""If at most this many pawns are missing, each turn removed one, so their number tells the player to move."""


def read_position(text: str) -> tuple[int, Pawns, int]:
    """Read a position string.

    Returns:
        The white squares, the pawns, and the seat to move.

    Raises:
        PositionError: the string is damaged. `field` is ``position`` if there are not three fields. Otherwise
            it is ``square colours``, ``pawns`` or ``player to move``.
    """
    colours, pawns, side = split_fields(text, (_SQUARES, _PAWNS, _TURN))
    white = _read_squares(colours)
    cells = _read_pawns(pawns)
    if side not in {"1", "2"}:
        raise PositionError(_TURN, f"{quoted(side)} is neither 1 nor 2")
    turn = int(side) - 1
    missing = cells.count(EMPTY) - GRID.columns
    if missing <= _FEW and turn != missing % 2:
        count = ALL_PAWNS - missing
        raise PositionError(_TURN, f"with {counted(count, 'pawn')} it is player {missing % 2 + 1}'s turn")
    green, yellow, red = (squares_with(letter, cells, GRID) for letter in LETTERS)
    return white, (green, yellow, red), turn


def _read_squares(text: str) -> int:
    cells = read_rows(text, GRID, "wb-", _SQUARES)
    for square, colour in enumerate(cells):
        name = GRID.names[square]
        opposite = MIRROR[square]
        if square == opposite:
            if colour != "-":
                raise PositionError(_SQUARES, f"{name} must be grey (-), like all squares of row 5")
        elif colour not in "wb":
            raise PositionError(_SQUARES, f"{name} must be white or black: only row 5 is grey")
        elif colour == cells[opposite]:
            raise PositionError(
                _SQUARES, f"{name} and {GRID.names[opposite]} are opposite and must have different colours"
            )
    return squares_with("w", cells, GRID)


def _read_pawns(text: str) -> str:
    cells = read_rows(text, GRID, LETTERS, _PAWNS)
    missing = cells.count(EMPTY) - GRID.columns
    if missing < 0:
        raise PositionError(_PAWNS, f"there are {ALL_PAWNS - missing}, more than {ALL_PAWNS}")
    if missing == ALL_PAWNS:
        raise PositionError(_PAWNS, "there are none, but a pawn that jumps stays on the board")
    if missing == 0:
        for square, opposite in enumerate(MIRROR):
            name = GRID.names[square]
            if square == opposite and cells[square] != EMPTY:
                raise PositionError(_PAWNS, f"{name} must be empty, like all of row 5 before the first jump")
            if cells[square] != cells[opposite]:
                raise PositionError(
                    _PAWNS,
                    f"{name} and {GRID.names[opposite]} are opposite and must have equal pawns before the "
                    "first jump",
                )
    return cells


def write_position(position: RodeursPosition) -> str:
    """The position string."""
    colours, pawns = write_rows(colours_of(position), GRID), write_rows(cells_of(position), GRID)
    return f"{colours} {pawns} {position.turn + 1}"


def colours_of(position: RodeursPosition) -> str:
    """The letter of each square's colour, by square."""
    return "".join("w" if position.white & bit else "-" if GREY & bit else "b" for bit in GRID.bit)


def cells_of(position: RodeursPosition) -> str:
    """The letter of each square's pawn, by square."""
    cells = [EMPTY] * len(GRID.names)
    for letter, pawns in zip(LETTERS, position.pawns, strict=True):
        for square in squares(pawns):
            cells[square] = letter
    return "".join(cells)
