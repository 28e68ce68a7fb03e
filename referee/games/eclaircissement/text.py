"""Position strings, diagrams and the drawn board of Éclaircissement. Source: rule sheet 003."""

from __future__ import annotations

from typing import Final

from protocol.words import counted
from referee.board import Disc, Line, Piece, Scene, Squares, standing
from referee.errors import PositionError
from referee.games.common import EMPTY, draw_grid, quoted, read_rows, split_fields, squares_with, write_rows
from referee.games.eclaircissement.board import CENTRE, EACH, GRID, LIGHT, PLAYERS, EclaircissementBoard
from referee.games.grid import squares

_LETTERS: Final = "wr"  # by seat: the letter of a dark pawn and of the player; upper case is a lit pawn
_BOARD: Final = "board"
_TURN: Final = "player to move"


def read_position(text: str) -> tuple[tuple[int, int], int, int]:
    """Read a position string.

    Returns:
        The squares of White's and of Red's pawns, the squares of the lit pawns, and the seat to move.
    """
    board, side = split_fields(text, (_BOARD, _TURN))
    cells = read_rows(board, GRID, _LETTERS + _LETTERS.upper(), _BOARD)
    lower = cells.lower()
    for letter, player in zip(_LETTERS, PLAYERS, strict=True):
        count = lower.count(letter)
        if count != EACH:
            raise PositionError(_BOARD, f"{player} has {counted(count, 'pawn')}, not {EACH}")
    seat = _LETTERS.find(side)
    if len(side) != 1 or seat < 0:
        raise PositionError(_TURN, f"{quoted(side)} is neither w nor r")
    white, red = (squares_with(letter, lower, GRID) for letter in _LETTERS)
    return (white, red), squares_with(_LETTERS.upper(), cells, GRID), seat


def write_position(position: EclaircissementBoard) -> str:
    """The position string."""
    return f"{write_rows(_cells(position), GRID)} {_LETTERS[position.turn]}"


def _cells(position: EclaircissementBoard) -> str:
    """The letter of each square, by square; upper case for a lit pawn."""
    cells = [EMPTY] * len(GRID.names)
    for letter, own in zip(_LETTERS, position.pawns, strict=True):
        for square in squares(own):
            cells[square] = letter.upper() if GRID.bit[square] & position.lit else letter
    return "".join(cells)


def draw_board(position: EclaircissementBoard, *, ascii_only: bool) -> str:
    """The board with the letters of the position string; the lit pawns; and who is to move or has won.

    An empty centre is drawn as ``+``.
    """
    pawns = position.pawns
    cells = list(_cells(position))
    if not CENTRE & (pawns[0] | pawns[1]):
        cells[squares(CENTRE)[0]] = LIGHT
    lines = draw_grid(cells, GRID, ascii_only=ascii_only)
    counts = [f"{PLAYERS[seat]} {(pawns[seat] & position.lit).bit_count()}" for seat in range(2)]
    lines.append(f"lit (in upper case): {', '.join(counts)}")
    if position.winner is None:
        lines.append(f"{PLAYERS[position.turn]} to move")
    else:
        lines.append(f"{PLAYERS[position.winner]} has won with every pawn lit and on the border")
    return "\n".join(lines)


DRAWN: Final = Squares(
    look="night",
    columns=GRID.columns,
    rows=GRID.rows,
    ground=("21212", "12121", "21312", "12121", "21212"),
    drawn=(
        Disc(2.5, 2.5, 0.6, "halo"),
        Line(((2.5, 2.05), (2.95, 2.5), (2.5, 2.95), (2.05, 2.5), (2.5, 2.05)), "lantern"),
    ),
    pieces={
        "w": Piece("White pawn", (("round", "moth"),)),
        "r": Piece("Red pawn", (("block", "ember"),)),
        "W": Piece("White pawn, lit", (("glow", ""), ("round", "moth lit"), ("sun", ""))),
        "R": Piece("Red pawn, lit", (("glow", ""), ("block", "ember lit"), ("sun", ""))),
    },
    words={LIGHT: "light the pawn"},
)


def scene(position: EclaircissementBoard) -> Scene:
    """The pawns as they are drawn."""
    white, red = ((pawns & position.lit).bit_count() for pawns in position.pawns)
    caption = f"player 1 is White, player 2 Red; lit pawns have a sun: White {white}, Red {red}"
    return Scene(standing(_cells(position), GRID.columns), caption)
