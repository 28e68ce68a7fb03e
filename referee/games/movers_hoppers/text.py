"""Position strings, diagrams and the drawn board of Movers & Hoppers. Source: sheets 000 and 003."""

from __future__ import annotations

from typing import Final

from protocol.words import counted
from referee.board import Line, Piece, Scene, Squares, chequered, standing
from referee.errors import PositionError
from referee.games.common import EMPTY, draw_grid, quoted, read_rows, split_fields, squares_with, write_rows
from referee.games.movers_hoppers.board import (
    CAMPS,
    EACH,
    GRID,
    MOVERS,
    PLAYERS,
    SETUP_SQUARES,
    WON_WITH,
    MoversHoppersBoard,
)

_KINDS: Final = (("M", "H"), ("m", "h"))  # by seat: the letters of a mover and of a hopper
_SIDES: Final = "wr"
_BOARD: Final = "board"
_TURN: Final = "player to move"


def read_position(text: str, *, is_free: bool) -> tuple[tuple[int, int], int, int]:
    """Read a position string.

    Returns:
        The squares of White's and of Red's pieces, the squares of the movers, and the seat to move.
    """
    board, side = split_fields(text, (_BOARD, _TURN))
    cells = read_rows(board, GRID, "MHmh", _BOARD)
    white, red = (squares_with(kinds, cells, GRID) for kinds in _KINDS)
    movers = squares_with("Mm", cells, GRID)
    _check_counts(white.bit_count(), red.bit_count())
    if not red:
        _check_setup(white, movers, is_free=is_free)
    if len(side) != 1 or side not in _SIDES:
        raise PositionError(_TURN, f"{quoted(side)} is neither w nor r")
    turn = _SIDES.index(side)
    if not red and turn != (1 if white else 0):
        raise PositionError(_TURN, f"{PLAYERS[1 - turn]} is the next to set up, not {PLAYERS[turn]}")
    return (white, red), movers, turn


def _check_counts(white: int, red: int) -> None:
    """Reject all counts but six pieces of both players, six of White alone, and an empty board."""
    for player, count in zip(PLAYERS, (white, red), strict=True):
        if count not in (0, EACH):
            raise PositionError(_BOARD, f"{player} has {counted(count, 'piece')}, not {EACH}")
    if red and not white:
        raise PositionError(_BOARD, "Red has set up, and White, who sets up first, has not")


def _check_setup(white: int, movers: int, *, is_free: bool) -> None:
    """Reject pieces of White that no set-up gives, while Red has not set up yet."""
    if white & ~CAMPS[0]:
        raise PositionError(_BOARD, "until Red has set up, White's pieces are in rows 1 and 2")
    count = movers.bit_count()
    if white and count != MOVERS and not is_free:
        raise PositionError(_BOARD, f"White has set up {counted(count, 'mover')}, not {MOVERS}")


def write_position(position: MoversHoppersBoard) -> str:
    """The position string."""
    return f"{write_rows(_cells(position), GRID)} {_SIDES[position.turn]}"


def _cells(position: MoversHoppersBoard) -> str:
    """The letter of each square, by square."""
    cells = ""
    for bit in GRID.bit:
        letter = EMPTY
        for own, (mover, hopper) in zip(position.pieces, _KINDS, strict=True):
            if own & bit:
                letter = mover if position.movers & bit else hopper
        cells += letter
    return cells


def draw_board(position: MoversHoppersBoard, *, ascii_only: bool) -> str:
    """The board with the letters of the position string; their meaning; and who is to move or has won."""
    lines = draw_grid(_cells(position), GRID, ascii_only=ascii_only)
    lines.append("M mover, H hopper: White's in upper case, Red's in lower case")
    outcome = position.outcome()
    if outcome is not None:
        lines.append(f"{PLAYERS[outcome.ranks.index(1)]} has won with {WON_WITH[outcome.reason]}")
    else:
        task = "move" if position.pieces[position.turn] else "set up six pieces"
        lines.append(f"{PLAYERS[position.turn]} to {task}")
    return "\n".join(lines)


DRAWN: Final = Squares(
    look="lane",
    columns=GRID.columns,
    rows=GRID.rows,
    ground=("444", "444", *chequered(3, 6)[:4], "333", "333"),
    drawn=(Line(((0, 2), (3, 2))), Line(((0, 6), (3, 6)))),
    pieces={
        "M": Piece("White mover", (("round", "ivory"), ("cross", "ivory"))),
        "H": Piece("White hopper", (("round", "ivory"), ("arc", "ivory"))),
        "m": Piece("Red mover", (("block", "red"), ("cross", "red"))),
        "h": Piece("Red hopper", (("block", "red"), ("arc", "red"))),
    },
    words={"m": "a mover", "h": "a hopper"},
)
_CAPTION: Final = "player 1 is White, player 2 Red; a cross is a mover, an arc a hopper"


def scene(position: MoversHoppersBoard) -> Scene:
    """The pieces as they are drawn, and the squares that the letters of a set-up are for."""
    pieces = standing(_cells(position), GRID.columns)
    return Scene(pieces, _CAPTION, setup=SETUP_SQUARES[position.turn])
