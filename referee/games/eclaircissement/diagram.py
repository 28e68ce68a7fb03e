"""The board of Éclaircissement drawn as text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.games.common.drawing import draw_grid
from referee.games.common.grid import squares
from referee.games.eclaircissement.board import CENTRE, GRID, PLAYERS
from referee.games.eclaircissement.moves import LIGHT
from referee.games.eclaircissement.text import cells_of

if TYPE_CHECKING:
    from referee.games.eclaircissement.position import EclaircissementPosition

__all__ = ["draw_board"]


def draw_board(position: EclaircissementPosition, *, ascii_only: bool) -> str:
    """The board with the letters of the position string; the lit pawns; and who is to move or has won.

    An empty centre is drawn as ``+``.
    """
    pawns = position.pawns
    cells = list(cells_of(position))
    if not CENTRE & (pawns[0] | pawns[1]):
        cells[squares(CENTRE)[0]] = LIGHT
    lines = draw_grid(cells, GRID, ascii_only=ascii_only)
    counts = [f"{PLAYERS[seat]} {(pawns[seat] & position.lit).bit_count()}" for seat in range(2)]
    lines.append(f"lit (in upper case): {', '.join(counts)}")
    if position.winner is None:
        lines.append(f"{PLAYERS[position.turn]} to move")
    else:
        lines.append(f"{PLAYERS[position.winner]} has won with every pawn lit and on the border")
    return "\n".join(lines)
