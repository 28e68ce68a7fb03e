"""Rôdeurs positions as text: the position string, and the board drawn for people."""

from __future__ import annotations

from typing import Final

from protocol.plurals import counted
from referee.errors import PositionError
from referee.games.common.drawing import draw_cells
from referee.games.common.grid import squares
from referee.games.common.notation import EMPTY, quoted, read_rows, split_fields, write_rows
from referee.games.rodeurs.board import ALL_PAWNS, GREY, GRID, MIRROR, Pawns

__all__ = ["COLOURS", "draw_board", "read_position", "write_position"]

COLOURS: Final = ("green", "yellow", "red")
"""Of the pawns, by what a pawn costs: 1, 2, 3 points."""
_LETTERS: Final = "gyr"
_SQUARES: Final = "square colours"
_PAWNS: Final = "pawns"
_TURN: Final = "player to move"
_FEW: Final = 2  # when no more pawns are missing, each turn has taken exactly one: that says who is to move


def read_position(text: str) -> tuple[int, Pawns, int]:
    """The white squares, the pawns and the seat to move.

    Raises:
        PositionError: naming the damaged field: ``position`` when there are not three of them, otherwise
            ``square colours``, ``pawns`` or ``player to move``.
    """
    colours, pawns, mover = split_fields(text, (_SQUARES, _PAWNS, _TURN))
    white = _read_squares(colours)
    cells = _read_pawns(pawns)
    if mover not in {"1", "2"}:
        raise PositionError(_TURN, f"{quoted(mover)} is neither 1 nor 2")
    turn = int(mover) - 1
    missing = cells.count(EMPTY) - GRID.columns
    if missing <= _FEW and turn != missing % 2:
        count = ALL_PAWNS - missing
        raise PositionError(_TURN, f"with {counted(count, 'pawn')} it is player {missing % 2 + 1}'s turn")
    green, yellow, red = (_those(cells, letter) for letter in _LETTERS)
    return white, (green, yellow, red), turn


def _read_squares(text: str) -> int:
    cells = read_rows(text, GRID, "wb-", _SQUARES)
    for square, colour in enumerate(cells):
        name = GRID.names[square]
        opposite = MIRROR[square]
        if square == opposite:
            if colour != "-":
                raise PositionError(_SQUARES, f"{name} must be grey, written -, as all of row 5")
        elif colour not in "wb":
            raise PositionError(_SQUARES, f"{name} must be white or black: only row 5 is grey")
        elif colour == cells[opposite]:
            raise PositionError(
                _SQUARES, f"{name} and {GRID.names[opposite]} are opposite and must have different colours"
            )
    return _those(cells, "w")


def _read_pawns(text: str) -> str:
    cells = read_rows(text, GRID, _LETTERS, _PAWNS)
    missing = cells.count(EMPTY) - GRID.columns
    if missing < 0:
        raise PositionError(_PAWNS, f"there are {ALL_PAWNS - missing}, more than {ALL_PAWNS}")
    if missing == ALL_PAWNS:
        raise PositionError(_PAWNS, "there are none, but a pawn that jumps stays on the board")
    if missing == 0:
        for square, opposite in enumerate(MIRROR):
            name = GRID.names[square]
            if square == opposite and cells[square] != EMPTY:
                raise PositionError(_PAWNS, f"{name} must be empty, as all of row 5 before the first jump")
            if cells[square] != cells[opposite]:
                raise PositionError(
                    _PAWNS,
                    f"{name} and {GRID.names[opposite]} are opposite and must have equal pawns before the "
                    "first jump",
                )
    return cells


def write_position(white: int, pawns: Pawns, turn: int) -> str:
    """The position string; the arguments are what `read_position` returns."""
    return f"{write_rows(_colours(white), GRID)} {write_rows(_cells(pawns), GRID)} {turn + 1}"


def draw_board(white: int, pawns: Pawns, *, ascii_only: bool) -> list[str]:
    """The lines of the board, each square as a sign for its colour and the letter of its pawn, and a key."""
    signs = {"w": ".", "b": "#", "-": " "} if ascii_only else {"w": "□", "b": "■", "-": " "}
    letters = _cells(pawns).replace(EMPTY, " ")
    drawn = [signs[colour] + letter for colour, letter in zip(_colours(white), letters, strict=True)]
    rows = [drawn[start : start + GRID.columns] for start in range(0, len(drawn), GRID.columns)]
    names = [str(row) for row in range(GRID.rows, 0, -1)]
    lines = draw_cells(rows[::-1], names, "abcdefg", ascii_only=ascii_only, width=2)
    key = ", ".join(f"{letter} {cost}" for cost, letter in enumerate(_LETTERS, 1))
    lines.append(f"squares: {signs['w']} player 1, {signs['b']} player 2; points: {key}")
    return lines


def _those(cells: str, letter: str) -> int:
    """The squares with a letter."""
    return sum(bit for bit, cell in zip(GRID.bit, cells, strict=True) if cell == letter)


def _colours(white: int) -> str:
    """The square colours, one character a square, numbered as in the grid."""
    return "".join("w" if white & bit else "-" if GREY & bit else "b" for bit in GRID.bit)


def _cells(pawns: Pawns) -> str:
    """The same of the pawns."""
    cells = [EMPTY] * len(GRID.names)
    for letter, those in zip(_LETTERS, pawns, strict=True):
        for square in squares(those):
            cells[square] = letter
    return "".join(cells)
