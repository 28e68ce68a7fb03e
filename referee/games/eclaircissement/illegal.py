"""Why a text is no move in a position of Éclaircissement: one sentence for every way to be none.

It goes through the move once more, slowly: the quick test in the module `position` only says no.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NoReturn

from referee.errors import IllegalMove, MoveSyntaxError
from referee.games.common.notation import quoted, read_path
from referee.games.eclaircissement.moves import GRID, LIGHT
from referee.games.eclaircissement.text import PLAYERS

__all__ = ["refuse", "squares_of"]

_BIT, _NAMES = GRID.bit, GRID.names


def refuse(text: str, pawns: tuple[int, int], lit: int, turn: int) -> NoReturn:
    """Say why a text that is neither a legal move nor a pass is none.

    Args:
        text: the text.
        pawns: the squares of White's and of Red's pawns.
        lit: the squares of the lit pawns.
        turn: the seat to move.

    Raises:
        MoveSyntaxError: it is no move in any position.
        IllegalMove: it is one, and the rules forbid it here.
    """
    path = squares_of(text)
    start = path[0]
    name = _NAMES[start]
    if _BIT[start] & pawns[1 - turn]:
        raise IllegalMove(f"it is {PLAYERS[turn]}'s turn, and the pawn on {name} is {PLAYERS[1 - turn]}'s")
    if not _BIT[start] & pawns[turn]:
        raise IllegalMove(f"there is no pawn on {name}")
    for here, there in pairwise(path):
        problem = _why_not_there(here, there, start, pawns, alone=len(path) == 2)
        if problem:
            raise IllegalMove(f"the pawn on {name} cannot {problem}")
    if not text.endswith(LIGHT):
        raise IllegalMove(
            f"the pawn comes back to {name} and nothing changes: a move must change the position"
        )
    if _BIT[start] & lit:
        raise IllegalMove(f"the pawn on {name} is lit already: its moves take no {LIGHT}")
    raise IllegalMove(f"the pawn on {name} cannot be lit: it neither lands on c3 nor jumps a lit pawn")


def squares_of(text: str) -> list[int]:
    """The squares of the path that a move other than a pass is written as.

    Raises:
        MoveSyntaxError: it is no move in any position.
    """
    path = read_path(text.removesuffix(LIGHT), GRID)
    if len(path) == 1:
        raise MoveSyntaxError(
            f"{quoted(text)} is no move: a move is pass, or a path such as a1b2 or a1c1c3, with {LIGHT} at "
            "its end when the pawn is lit"
        )
    return path


def _why_not_there(here: int, there: int, start: int, pawns: tuple[int, int], *, alone: bool) -> str:
    """What the pawn cannot do to get from one square of its path to the next; empty when it can.

    Args:
        here: the square on which the pawn is by then.
        there: the next one.
        start: the one where it began, which is empty once it has left.
        pawns: the squares of White's and of Red's pawns at the beginning.
        alone: whether the path has no other squares than these two.
    """
    columns = GRID.columns
    across = abs(there % columns - here % columns)
    up = abs(there // columns - here // columns)
    way = f"to {_NAMES[there]}" if here == start else f"from {_NAMES[here]} to {_NAMES[there]}"
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
        return f"jump {way}: {_NAMES[over]} is empty"
    occupant = _occupant(there, start, pawns)
    return occupant and f"jump {way}: {occupant}"


def _occupant(square: int, start: int, pawns: tuple[int, int]) -> str:
    """Whose pawn is on a square while the one from ``start`` is under way; empty when there is none."""
    for player, own in zip(PLAYERS, pawns, strict=True):
        if square != start and own & _BIT[square]:
            return f"a pawn of {player}'s is on {_NAMES[square]}"
    return ""
