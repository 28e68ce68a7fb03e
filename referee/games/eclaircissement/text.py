"""Éclaircissement's positions as text: the position string, and the board drawn for people."""

from __future__ import annotations

from typing import Final

from protocol.plurals import counted
from referee.errors import PositionError
from referee.games.common.drawing import draw_cells
from referee.games.common.grid import squares
from referee.games.common.notation import EMPTY, quoted, read_rows, split_fields, write_rows
from referee.games.eclaircissement.moves import CENTRE, GRID, LIGHT

__all__ = ["EACH", "PLAYERS", "draw_board", "read_position", "write_position"]

PLAYERS: Final = ("White", "Red")
"""By seat."""
EACH: Final = 8
"""How many pawns a player has."""
_LETTERS: Final = "wr"  # by seat: of a dark pawn, and of the player to move; upper case is lit
_BOARD: Final = "board"
_TURN: Final = "player to move"


def read_position(text: str) -> tuple[tuple[int, int], int, int]:
    """The squares of White's and of Red's pawns, those of the lit ones, and the seat to move.

    Raises:
        PositionError: naming the damaged field: ``position`` when there are not two of them, otherwise
            ``board`` or ``player to move``.
    """
    board, mover = split_fields(text, (_BOARD, _TURN))
    cells = read_rows(board, GRID, _LETTERS + _LETTERS.upper(), _BOARD)
    lower = cells.lower()
    for letter, player in zip(_LETTERS, PLAYERS, strict=True):
        count = lower.count(letter)
        if count != EACH:
            raise PositionError(_BOARD, f"{player} has {counted(count, 'pawn')}, not {EACH}")
    seat = _LETTERS.find(mover)
    if len(mover) != 1 or seat < 0:
        raise PositionError(_TURN, f"{quoted(mover)} is neither w nor r")
    white, red = (_those(lower, letter) for letter in _LETTERS)
    lit = _those(cells, "W") | _those(cells, "R")
    return (white, red), lit, seat


def write_position(pawns: tuple[int, int], lit: int, turn: int) -> str:
    """The position string; the arguments are as in `read_position`."""
    return f"{write_rows(_cells(pawns, lit), GRID)} {_LETTERS[turn]}"


def draw_board(pawns: tuple[int, int], lit: int, *, ascii_only: bool) -> list[str]:
    """The lines of the board: pawns as in the position string, the centre marked while it is empty."""
    cells = list(_cells(pawns, lit).replace(EMPTY, "." if ascii_only else "·"))
    centre = squares(CENTRE)[0]
    if not CENTRE & (pawns[0] | pawns[1]):
        cells[centre] = LIGHT
    rows = [cells[start : start + GRID.columns] for start in range(0, len(cells), GRID.columns)]
    names = [str(row) for row in range(GRID.rows, 0, -1)]
    return draw_cells(rows[::-1], names, "abcde", ascii_only=ascii_only)


def _those(cells: str, letter: str) -> int:
    """The squares with a letter."""
    return sum(bit for bit, cell in zip(GRID.bit, cells, strict=True) if cell == letter)


def _cells(pawns: tuple[int, int], lit: int) -> str:
    """One character a square, numbered as in the grid."""
    cells = [EMPTY] * len(GRID.names)
    for letter, own in zip(_LETTERS, pawns, strict=True):
        for square in squares(own):
            cells[square] = letter.upper() if GRID.bit[square] & lit else letter
    return "".join(cells)
