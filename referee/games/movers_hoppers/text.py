"""Movers & Hoppers' positions as text: the position string, and the board drawn for people."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from protocol.plurals import counted
from referee.errors import PositionError
from referee.games.common.drawing import draw_cells
from referee.games.common.notation import EMPTY, quoted, read_rows, split_fields, write_rows
from referee.games.movers_hoppers.moves import CAMPS, EACH, GRID, MOVERS

__all__ = ["PLAYERS", "draw_board", "read_position", "write_position"]

PLAYERS: Final = ("White", "Red")
"""By seat."""
_KINDS: Final = (("M", "H"), ("m", "h"))  # by seat: of a mover, of a hopper
_LETTERS: Final = "".join(mover + hopper for mover, hopper in _KINDS)
_SIDES: Final = "wr"
_BOARD: Final = "board"
_TURN: Final = "player to move"


def read_position(text: str, *, is_free: bool) -> tuple[tuple[int, int], int, int]:
    """The squares of White's and of Red's pieces, those of the movers, and the seat to move.

    Args:
        text: the position string.
        is_free: whether the players choose how many of their pieces begin as movers.

    Raises:
        PositionError: naming the damaged field: ``position`` when there are not two of them, otherwise
            ``board`` or ``player to move``.
    """
    board, side = split_fields(text, (_BOARD, _TURN))
    cells = read_rows(board, GRID, _LETTERS, _BOARD)
    white, red = (_those(cells, kinds) for kinds in _KINDS)
    movers = _those(cells, [mover for mover, _ in _KINDS])
    _check_counts(white.bit_count(), red.bit_count())
    if not red:
        _check_setup(white, movers, is_free=is_free)
    if len(side) != 1 or side not in _SIDES:
        raise PositionError(_TURN, f"{quoted(side)} is neither w nor r")
    turn = _SIDES.index(side)
    if not red and turn != (1 if white else 0):
        raise PositionError(_TURN, f"{PLAYERS[1 - turn]} is the next to set up, not {PLAYERS[turn]}")
    return (white, red), movers, turn


def write_position(pieces: tuple[int, int], movers: int, turn: int) -> str:
    """The position string; the arguments are as in `read_position`."""
    return f"{write_rows(_cells(pieces, movers), GRID)} {_SIDES[turn]}"


def draw_board(pieces: tuple[int, int], movers: int, *, ascii_only: bool) -> list[str]:
    """The lines of the board, with pieces as in the position string, and what their letters mean."""
    cells = _cells(pieces, movers).replace(EMPTY, "." if ascii_only else "·")
    starts = range(len(cells) - GRID.columns, -1, -GRID.columns)
    rows = [cells[start : start + GRID.columns] for start in starts]
    names = [str(row) for row in range(GRID.rows, 0, -1)]
    lines = draw_cells(rows, names, "abc", ascii_only=ascii_only)
    lines.append("M mover, H hopper: White's in upper case, Red's in lower case")
    return lines


def _check_counts(white: int, red: int) -> None:
    """Refuse what is neither six pieces of both players, nor six of White's alone, nor an empty board."""
    for player, count in zip(PLAYERS, (white, red), strict=True):
        if count not in (0, EACH):
            raise PositionError(_BOARD, f"{player} has {counted(count, 'piece')}, not {EACH}")
    if red and not white:
        raise PositionError(_BOARD, "Red has set up, and White, who sets up first, has not")


def _check_setup(white: int, movers: int, *, is_free: bool) -> None:
    """Refuse pieces of White that were not set up like this, while there is none of Red yet."""
    if white & ~CAMPS[0]:
        raise PositionError(_BOARD, "until Red has set up, White's pieces are in rows 1 and 2")
    count = movers.bit_count()
    if white and count != MOVERS and not is_free:
        raise PositionError(_BOARD, f"White has set up {counted(count, 'mover')}, not {MOVERS}")


def _those(cells: str, letters: Collection[str]) -> int:
    """The squares with one of the letters."""
    return sum(bit for bit, cell in zip(GRID.bit, cells, strict=True) if cell in letters)


def _cells(pieces: tuple[int, int], movers: int) -> str:
    """One character a square, numbered as in the grid."""
    cells = ""
    for bit in GRID.bit:
        letter = EMPTY
        for own, (mover, hopper) in zip(pieces, _KINDS, strict=True):
            if own & bit:
                letter = mover if movers & bit else hopper
        cells += letter
    return cells
