"""Explains why a text is not a legal move in a position of Éclaircissement."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NoReturn

from referee.errors import IllegalMove, MoveSyntaxError
from referee.games.common import check_move_text, quoted, read_path, refuse_pass
from referee.games.eclaircissement.board import GRID, LIGHT, NOTATION, PLAYERS, EclaircissementMove


def refuse(
    text: str,
    pawns: tuple[int, int],
    lit: int,
    turn: int,
    winner: int | None,
    moves: Iterator[EclaircissementMove],
) -> NoReturn:
    """Raise the error that says why a text is none of the legal ``moves`` in a position with these pawns."""
    path = _read_path(text)
    if winner is not None:
        raise IllegalMove(
            f"the game is over: {PLAYERS[winner]} has won with every pawn lit and on the border"
        )
    if not path:
        refuse_pass(PLAYERS[turn], moves)
    _check_path(path, pawns, turn)
    name = GRID.names[path[0]]
    if not text.endswith(LIGHT):
        raise IllegalMove(
            f"the pawn comes back to {name} and nothing changes: a move must change the position"
        )
    if GRID.bit[path[0]] & lit:
        raise IllegalMove(f"the pawn on {name} is lit already: its moves are written without {LIGHT}")
    raise IllegalMove(f"the pawn on {name} cannot be lit: it neither lands on c3 nor jumps a lit pawn")


def _read_path(text: str) -> list[int]:
    """The squares of the path that a text names; an empty list for a pass."""
    check_move_text(text)
    if text == "pass":
        return []
    path = read_path(text.removesuffix(LIGHT), GRID)
    if len(path) == 1:
        raise MoveSyntaxError(f"{quoted(text)} is no move: a move is {NOTATION}")
    return path


def _check_path(path: list[int], pawns: tuple[int, int], turn: int) -> None:
    """Raise IllegalMove unless the pawn can go along its path."""
    start = path[0]
    name = GRID.names[start]
    if GRID.bit[start] & pawns[1 - turn]:
        raise IllegalMove(f"it is {PLAYERS[turn]}'s turn, and the pawn on {name} is {PLAYERS[1 - turn]}'s")
    if not GRID.bit[start] & pawns[turn]:
        raise IllegalMove(f"there is no pawn on {name}")
    for here, there in pairwise(path):
        problem = _why_not_there(here, there, start, pawns, alone=len(path) == 2)
        if problem:
            raise IllegalMove(f"the pawn on {name} cannot {problem}")


def _why_not_there(here: int, there: int, start: int, pawns: tuple[int, int], *, alone: bool) -> str:
    """The step or jump to the next square and why the pawn cannot make it; empty if the pawn can.

    ``start`` is the first square of the path, and ``alone`` is whether it consists of these two squares.
    """
    columns, names = GRID.columns, GRID.names
    across = abs(there % columns - here % columns)
    up = abs(there // columns - here // columns)
    way = f"to {names[there]}" if here == start else f"from {names[here]} to {names[there]}"
    if max(across, up) == 0:
        return f"go {way}: a path leads from square to square"
    if max(across, up) == 1:
        if not alone:
            return f"step {way}: a turn is one step, or jumps alone"
        occupant = _occupant(there, start, pawns)
        return occupant and f"step {way}: {occupant}"
    if across == up == 2:
        return f"jump {way}: jumps go up, down, left or right, not diagonally"
    if across + up != 2:
        return f"go {way}: that is neither a step nor a jump over one pawn"
    over = (here + there) // 2
    if not _occupant(over, start, pawns):
        return f"jump {way}: {names[over]} is empty"
    occupant = _occupant(there, start, pawns)
    return occupant and f"jump {way}: {occupant}"


def _occupant(square: int, start: int, pawns: tuple[int, int]) -> str:
    """Whose pawn is on a square after the pawn has left ``start``; empty if the square is empty."""
    for player, squares in zip(PLAYERS, pawns, strict=True):
        if square != start and squares & GRID.bit[square]:
            return f"a pawn of {player}'s is on {GRID.names[square]}"
    return ""
