"""HOPS's position strings, and the board drawn for people. Source: rule sheet 002."""

from __future__ import annotations

from referee.errors import PositionError
from referee.games.common.drawing import draw_cells
from referee.games.common.notation import EMPTY, quoted, read_rows, split_fields, write_rows
from referee.games.hops.board import BIT, COLOURS, GOAL_NAMES, GRID, LETTERS, NAMES, OUT

__all__ = ["diagram", "read_position", "write_position"]

_FIELDS = ("board", "player to move")
_ALL = 7  # pawns of each player


def _cells(blue: int, red: int, ball: int) -> str:
    """One letter a square: a pawn's colour, upper case for the carrier."""
    letters = [EMPTY] * len(NAMES)
    for square, bit in enumerate(BIT):
        if blue & bit:
            letters[square] = LETTERS[0]
        elif red & bit:
            letters[square] = LETTERS[1]
    if ball != OUT:
        letters[ball] = letters[ball].upper()
    return "".join(letters)


def write_position(blue: int, red: int, ball: int, turn: int) -> str:
    """The position string."""
    return f"{write_rows(_cells(blue, red, ball), GRID)} {LETTERS[turn]}"


def read_position(text: str) -> tuple[int, int, int, int]:
    """Read a position string: Blue's pawns, Red's pawns, the carrier's square or ``OUT``, the seat to move.

    Raises:
        PositionError: naming the field that is damaged, or that shows the position to be impossible.
    """
    board, side = split_fields(text, _FIELDS)
    letters = read_rows(board, GRID, "bBrR", "board")
    carriers = [square for square, letter in enumerate(letters) if letter in "BR"]
    if len(carriers) > 1:
        names = " and ".join(NAMES[square] for square in carriers[:2])
        raise PositionError("board", f"there is one ball, but the pawns on {names} both carry it")
    if side not in LETTERS:
        raise PositionError("player to move", f"{quoted(side)} is neither b nor r")
    turn = LETTERS.index(side)
    blue, red = (
        sum(bit for bit, cell in zip(BIT, letters, strict=True) if cell.lower() == letter)
        for letter in LETTERS
    )
    counts = blue.bit_count(), red.bit_count()
    if carriers:
        if counts != (_ALL, _ALL):
            raise PositionError("board", f"{_shown(counts)} are not seven of each colour")
        return blue, red, carriers[0], turn
    if sorted(counts) != [_ALL - 1, _ALL]:
        problem = f"{_shown(counts)} and no carrier, but a ball that has gone out leaves six and seven"
        raise PositionError("board", problem)
    if counts[turn] != _ALL:
        raise PositionError("player to move", f"{COLOURS[turn]} has just won by carrying the ball out")
    return blue, red, OUT, turn


def _shown(counts: tuple[int, int]) -> str:
    return f"{counts[0]} blue pawns and {counts[1]} red ones"


def diagram(blue: int, red: int, ball: int, turn: int, *, blocked: bool, ascii_only: bool) -> str:
    """The board with its coordinates, where the ball is, and who is to move or has won.

    Args:
        blue: Blue's pawns.
        red: Red's pawns.
        ball: the carrier's square, or ``OUT``.
        turn: the seat to move.
        blocked: whether that seat cannot complete a turn.
        ascii_only: draw with ASCII alone.
    """
    letters = _cells(blue, red, ball).replace(EMPTY, "." if ascii_only else "·")
    rows = [list(letters[start : start + GRID.columns]) for start in range(42, -1, -GRID.columns)]
    lines = draw_cells(rows, "7654321", "abcdefg", ascii_only=ascii_only)
    mover, other = COLOURS[turn], COLOURS[1 - turn]
    if ball == OUT:
        lines.append(f"the ball has gone out beyond {GOAL_NAMES[1 - turn]}")
    else:
        lines.append(f"the ball is {COLOURS[0 if blue & BIT[ball] else 1]}'s, on {NAMES[ball]}")
    if ball == OUT:
        lines.append(f"{other} has carried it there and won")
    elif blocked:
        lines.append(f"{mover} cannot complete a turn: {other} has won")
    else:
        lines.append(f"{mover} to move, towards {GOAL_NAMES[turn]}")
    return "\n".join(lines)
