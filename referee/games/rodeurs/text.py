"""Position strings, diagrams and the drawn board of Rôdeurs. Source: rule sheet 001."""

from __future__ import annotations

from typing import Final

from protocol.words import counted
from referee.board import Piece, Scene, Squares, standing
from referee.errors import PositionError
from referee.games.common import EMPTY, draw_grid, quoted, read_rows, split_fields, squares_with, write_rows
from referee.games.grid import squares
from referee.games.rodeurs.board import (
    ALL_PAWNS,
    GREY,
    GRID,
    MIRROR,
    Pawns,
    RodeursBoard,
    count_pawns,
    points,
)

_LETTERS: Final = "gyr"
"""The letters of green, yellow and red pawns."""
_SQUARES: Final = "square colours"
_PAWNS: Final = "pawns"
_TURN: Final = "player to move"
_FEW: Final = 2
"""If at most this many pawns are missing, each turn removed one, so their number tells the player to move."""
_COLOURS: Final = ("green", "yellow", "red")


def read_position(text: str) -> tuple[int, Pawns, int]:
    """Read a position string.

    Returns:
        The white squares, the pawns, and the seat to move.
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
    green, yellow, red = (squares_with(letter, cells, GRID) for letter in _LETTERS)
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
                raise PositionError(_PAWNS, f"{name} must be empty, like all of row 5 before the first jump")
            if cells[square] != cells[opposite]:
                raise PositionError(
                    _PAWNS,
                    f"{name} and {GRID.names[opposite]} are opposite and must have equal pawns before the "
                    "first jump",
                )
    return cells


def write_position(position: RodeursBoard) -> str:
    """The position string."""
    colours, pawns = write_rows(_square_colours(position), GRID), write_rows(_cells(position), GRID)
    return f"{colours} {pawns} {position.turn + 1}"


def _square_colours(position: RodeursBoard) -> str:
    """The letter of each square's colour, by square."""
    return "".join("w" if position.white & bit else "-" if GREY & bit else "b" for bit in GRID.bit)


def _cells(position: RodeursBoard) -> str:
    """The letter of each square's pawn, by square."""
    cells = [EMPTY] * len(GRID.names)
    for letter, pawns in zip(_LETTERS, position.pawns, strict=True):
        for square in squares(pawns):
            cells[square] = letter
    return "".join(cells)


def draw_board(position: RodeursBoard, *, ascii_only: bool) -> str:
    """The board with square colours and pawns; the points of each player; and who is to move or has won.

    A square is drawn as a sign for its colour and the letter of its pawn.
    """
    signs = {"w": ".", "b": "#", "-": " "} if ascii_only else {"w": "□", "b": "■", "-": " "}
    letters = _cells(position).replace(EMPTY, " ")
    cells = [
        signs[colour] + letter for colour, letter in zip(_square_colours(position), letters, strict=True)
    ]
    lines = draw_grid(cells, GRID, ascii_only=ascii_only, width=2)
    key = ", ".join(f"{letter} {cost}" for cost, letter in enumerate(_LETTERS, 1))
    lines.append(f"squares: {signs['w']} player 1, {signs['b']} player 2; points: {key}")
    for player, counts in enumerate(count_pawns(position.white, position.pawns), 1):
        pawns = ", ".join(f"{count} {colour}" for count, colour in zip(counts, _COLOURS, strict=True))
        lines.append(f"points of player {player}: {points(counts)} ({pawns})")
    lines.append(_state(position))
    return "\n".join(lines)


def _state(position: RodeursBoard) -> str:
    """The line that says who is to move or has won."""
    outcome = position.outcome()
    if outcome is None:
        return f"player {position.turn + 1} to move{', a single jump' if position.is_first_turn else ''}"
    if outcome.winner is None:
        return "the game is a draw: both players have equally many pawns of every colour"
    return f"the game is over: player {outcome.winner + 1} has won by fewer {outcome.reason}"


DRAWN: Final = Squares(
    look="street",
    columns=GRID.columns,
    rows=GRID.rows,
    grounds={"1": "light square", "2": "dark square", "3": "grey square"},
    pieces={
        "g": Piece("green pawn", (("round", "green"), ("pip-1", "green"))),
        "y": Piece("yellow pawn", (("round", "yellow"), ("pip-2", "yellow"))),
        "r": Piece("red pawn", (("round", "crimson"), ("pip-3", "crimson"))),
    },
)


def scene(position: RodeursBoard) -> Scene:
    """The pawns and the squares of the two players as they are drawn."""
    first, second = (points(counts) for counts in count_pawns(position.white, position.pawns))
    caption = (
        f"light squares: player 1, {counted(first, 'point')};"
        f" dark squares: player 2, {counted(second, 'point')}; fewer are better"
    )
    colours = _square_colours(position).translate(str.maketrans("wb-", "123"))
    starts = range(len(colours) - GRID.columns, -1, -GRID.columns)
    ground = tuple(colours[start : start + GRID.columns] for start in starts)
    return Scene(standing(_cells(position), GRID.columns), caption, ground=ground)
