"""Position strings, diagrams and the drawn board of HOPS. Source: rule sheet 002."""

from __future__ import annotations

from typing import Final

from referee.board import Disc, Line, Piece, Scene, Squares, chequered, standing
from referee.errors import PositionError
from referee.games.common import EMPTY, draw_grid, quoted, read_rows, split_fields, squares_with, write_rows
from referee.games.grid import squares
from referee.games.hops.actions import BIT, GRID, NAMES, OUT
from referee.games.hops.board import EACH, GOAL_NAMES, PLAYERS, HopsBoard

_LETTERS: Final = "br"  # by seat: the letter of a pawn and of the player to move; upper case is the carrier
_BOARD: Final = "board"
_TURN: Final = "player to move"


def read_position(text: str) -> tuple[int, int, int, int]:
    """Read a position string.

    Returns:
        Blue's pawns, Red's pawns, the carrier's square or ``OUT``, and the seat to move.
    """
    board, side = split_fields(text, (_BOARD, _TURN))
    cells = read_rows(board, GRID, "bBrR", _BOARD)
    carriers = [square for square, letter in enumerate(cells) if letter in "BR"]
    if len(carriers) > 1:
        names = " and ".join(NAMES[square] for square in carriers[:2])
        raise PositionError(_BOARD, f"there is one ball, but the pawns on {names} both carry it")
    turn = _LETTERS.find(side)
    if len(side) != 1 or turn < 0:
        raise PositionError(_TURN, f"{quoted(side)} is neither b nor r")
    blue, red = (squares_with(letter, cells.lower(), GRID) for letter in _LETTERS)
    counts = blue.bit_count(), red.bit_count()
    if carriers:
        if counts != (EACH, EACH):
            raise PositionError(_BOARD, f"{_describe(counts)} are not seven of each colour")
        return blue, red, carriers[0], turn
    if sorted(counts) != [EACH - 1, EACH]:
        raise PositionError(
            _BOARD,
            f"{_describe(counts)}, but no carrier (an upper-case letter); without a carrier the ball has gone"
            f" out, and then one player has {EACH - 1} pawns and the other {EACH}",
        )
    if counts[turn] != EACH:
        raise PositionError(_TURN, f"{PLAYERS[turn]} has just won by carrying the ball out")
    return blue, red, OUT, turn


def _describe(counts: tuple[int, int]) -> str:
    return f"{counts[0]} blue pawns and {counts[1]} red ones"


def write_position(position: HopsBoard) -> str:
    """The position string."""
    return f"{write_rows(_cells(position), GRID)} {_LETTERS[position.turn]}"


def _cells(position: HopsBoard) -> str:
    """The letter of each square, by square; upper case for the carrier."""
    cells = [EMPTY] * len(NAMES)
    for letter, pawns in zip(_LETTERS, (position.blue, position.red), strict=True):
        for square in squares(pawns):
            cells[square] = letter.upper() if square == position.ball else letter
    return "".join(cells)


def draw_board(position: HopsBoard, *, ascii_only: bool) -> str:
    """The board with the letters of the position string; the ball; and who is to move or has won."""
    lines = draw_grid(_cells(position), GRID, ascii_only=ascii_only)
    ball, turn = position.ball, position.turn
    mover, other = PLAYERS[turn], PLAYERS[1 - turn]
    if ball == OUT:
        lines.append(f"the ball has gone out beyond {GOAL_NAMES[1 - turn]}")
        lines.append(f"{other} has carried it there and won")
        return "\n".join(lines)
    carrier = PLAYERS[0 if position.blue & BIT[ball] else 1]
    lines.append(f"the ball is {carrier}'s, on {NAMES[ball]}")
    if position.outcome() is not None:
        lines.append(f"{mover} cannot complete a turn: {other} has won")
    else:
        lines.append(f"{mover} to move, towards {GOAL_NAMES[turn]}")
    return "\n".join(lines)


DRAWN: Final = Squares(
    look="pitch",
    columns=GRID.columns,
    rows=GRID.rows,
    ground=("4" * 7, *chequered(7, 6)[:5], "3" * 7),
    drawn=(Disc(3.5, 3.5, 1.15), Line(((0, 1), (7, 1))), Line(((0, 6), (7, 6)))),
    pieces={
        "b": Piece("Blue pawn", (("ring", "sky"),)),
        "r": Piece("Red pawn", (("diamond", "red"),)),
        "B": Piece("Blue pawn with the ball", (("round", "sky"), ("ball", ""))),
        "R": Piece("Red pawn with the ball", (("block", "red"), ("ball", ""))),
    },
    words={"*": "take the ball", "#": "carry the ball out", "*#": "take the ball and carry it out"},
)


def scene(position: HopsBoard) -> Scene:
    """The pawns and the ball as they are drawn."""
    gone = "; the ball has gone out" if position.ball == OUT else ""
    return Scene(standing(_cells(position), GRID.columns), f"player 1 is Blue, player 2 Red{gone}")
