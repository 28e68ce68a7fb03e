"""Explains why a text is not a legal move in a position of Movers & Hoppers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NoReturn

from referee.errors import IllegalMove, MoveSyntaxError
from referee.games.common import check_move_text, quoted, read_path, refuse_pass
from referee.games.grid import squares
from referee.games.movers_hoppers.board import (
    GRID,
    MOVERS,
    MOVES,
    NOTATION,
    PLAYERS,
    SETUPS,
    WON_WITH,
    MoversHoppersMove,
)
from referee.outcome import Outcome

_SETUP: Final = re.compile(r"[mh]{6}")
_TWO_SQUARES: Final = re.compile(r"(?:[a-z][0-9]){2}")


def refuse(
    text: str,
    is_free: bool,
    outcome: Outcome | None,
    pieces: tuple[int, int],
    movers: int,
    turn: int,
    moves: Iterator[MoversHoppersMove],
) -> NoReturn:
    """Raise the error that says why a text is none of the legal ``moves`` in a position with these pieces.

    ``is_free`` is whether the players choose the number of their movers.
    """
    move = MOVES.get(text)
    is_setup = move is not None and move.movers is not None
    if move is None or (is_setup and move not in SETUPS[is_free]):
        _refuse_text(text)
    if outcome is not None:
        winner = PLAYERS[outcome.ranks.index(1)]
        raise IllegalMove(f"the game is over: {winner} has {WON_WITH[outcome.reason]}")
    player = PLAYERS[turn]
    if not pieces[turn]:
        raise IllegalMove(f"{player} has no pieces yet: the first move is a set-up such as hmhmhm")
    if is_setup:
        raise IllegalMove(f"{player} has set up already")
    if move.source:
        _refuse_way(move, pieces, movers, turn)
    refuse_pass(player, moves)


def _refuse_text(text: str) -> NoReturn:
    """Say why a text is not a move in any position."""
    check_move_text(text)
    quoted_text = quoted(text)
    if text.lower() in MOVES and text.lower() != text:
        raise MoveSyntaxError(f"{quoted_text} is no move: moves are written in lower case")
    if _SETUP.fullmatch(text):
        raise MoveSyntaxError(
            f"{quoted_text} is no move: in this game {MOVERS} of the six letters must be m, for movers"
        )
    if _TWO_SQUARES.fullmatch(text):
        read_path(text, GRID)
        raise MoveSyntaxError(
            f"{quoted_text} is no move: a piece goes to another square in a straight line, along a row, a "
            "column or a diagonal"
        )
    raise MoveSyntaxError(f"{quoted_text} is no move: a move is {NOTATION}")


def _refuse_way(move: MoversHoppersMove, pieces: tuple[int, int], movers: int, turn: int) -> NoReturn:
    """Say why the rules forbid a step or a jump of a player who has set up."""
    source, target = (GRID.names[squares(bits)[0]] for bits in (move.source, move.target))
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
