"""The board of HOPS drawn as text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.games.common.drawing import draw_grid
from referee.games.hops.board import BIT, GOAL_NAMES, GRID, NAMES, OUT, PLAYERS
from referee.games.hops.text import cells_of

if TYPE_CHECKING:
    from referee.games.hops.position import HopsPosition

__all__ = ["draw_board"]


def draw_board(position: HopsPosition, *, ascii_only: bool) -> str:
    """The board with the letters of the position string; the ball; and who is to move or has won."""
    lines = draw_grid(cells_of(position), GRID, ascii_only=ascii_only)
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
