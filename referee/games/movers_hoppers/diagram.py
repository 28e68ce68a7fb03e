"""The board of Movers & Hoppers drawn as text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.games.common.drawing import draw_grid
from referee.games.movers_hoppers.board import GRID, PLAYERS, WON_WITH
from referee.games.movers_hoppers.text import cells_of

if TYPE_CHECKING:
    from referee.games.movers_hoppers.position import MoversHoppersPosition

__all__ = ["draw_board"]


def draw_board(position: MoversHoppersPosition, *, ascii_only: bool) -> str:
    """The board with the letters of the position string; their meaning; and who is to move or has won."""
    lines = draw_grid(cells_of(position), GRID, ascii_only=ascii_only)
    lines.append("M mover, H hopper: White's in upper case, Red's in lower case")
    outcome = position.outcome()
    if outcome is not None:
        lines.append(f"{PLAYERS[outcome.ranks.index(1)]} has won with {WON_WITH[outcome.reason]}")
    else:
        task = "move" if position.pieces[position.turn] else "set up six pieces"
        lines.append(f"{PLAYERS[position.turn]} to {task}")
    return "\n".join(lines)
