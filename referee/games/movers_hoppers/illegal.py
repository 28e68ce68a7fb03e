"""Movers & Hoppers: why a text is no move, or not one that is allowed. Nothing here is in a hurry."""

from __future__ import annotations

import re
from typing import Final, NoReturn

from referee.errors import IllegalMove, MoveSyntaxError
from referee.games.common.grid import squares
from referee.games.common.notation import check_move_text, quoted, read_path
from referee.games.movers_hoppers.moves import GRID, MOVERS, MOVES, MoversHoppersMove
from referee.games.movers_hoppers.text import PLAYERS

__all__ = ["no_move", "why_no_way"]

_SETUP: Final = re.compile(r"[mh]{6}")
_TWO_SQUARES: Final = re.compile(r"(?:[a-z][0-9]){2}")


def no_move(text: str) -> NoReturn:
    """Say why a text is no move in any position.

    Raises:
        MoveSyntaxError: always.
    """
    check_move_text(text)
    shown = quoted(text)
    if text.lower() in MOVES and text.lower() != text:
        raise MoveSyntaxError(f"{shown} is no move: moves are written in lower case")
    if _SETUP.fullmatch(text):
        raise MoveSyntaxError(
            f"{shown} is no set-up of this game: {MOVERS} of its six letters are m, for movers"
        )
    if _TWO_SQUARES.fullmatch(text):
        read_path(text, GRID)
        raise MoveSyntaxError(
            f"{shown} is no move: a piece goes to another square in a straight line, along a row, a column "
            "or a diagonal"
        )
    raise MoveSyntaxError(
        f"{shown} is no move: a move is a piece's square and its target such as a2b3, a set-up such as "
        "hmhmhm, or pass"
    )


def why_no_way(move: MoversHoppersMove, pieces: tuple[int, int], movers: int, turn: int) -> NoReturn:
    """Say why a piece cannot go a way, when both players have set up.

    Args:
        move: the way.
        pieces: the squares of White's and of Red's pieces.
        movers: the squares of the movers.
        turn: the seat to move.

    Raises:
        IllegalMove: always.
    """
    source, target = (_name(bit) for bit in (move.source, move.target))
    occupied = pieces[0] | pieces[1]
    if not move.source & occupied:
        raise IllegalMove(f"there is no piece on {source}")
    if not move.source & pieces[turn]:
        player, other = PLAYERS[turn], PLAYERS[1 - turn]
        raise IllegalMove(f"it is {player}'s turn, and the piece on {source} is {other}'s")
    if move.source & movers and move.over:
        raise IllegalMove(
            f"the piece on {source} is a mover: it goes one square, and {target} is farther away"
        )
    if not move.source & movers and not move.over:
        raise IllegalMove(f"the piece on {source} is a hopper: it only jumps, and {target} is next to it")
    gaps = squares(move.over & ~occupied)
    if gaps:
        nearest = min(gaps, key=lambda gap: abs(gap - move.source.bit_length() + 1))
        raise IllegalMove(f"the hopper on {source} cannot jump to {target}: {GRID.names[nearest]} is empty")
    owner = PLAYERS[0] if move.target & pieces[0] else PLAYERS[1]
    raise IllegalMove(f"{owner}'s piece is on {target} already")


def _name(bit: int) -> str:
    return GRID.names[bit.bit_length() - 1]
