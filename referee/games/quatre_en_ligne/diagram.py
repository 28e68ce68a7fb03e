"""The board of Quatre en ligne drawn as text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.games.common.drawing import draw_cells
from referee.games.quatre_en_ligne.board import PLAYERS
from referee.games.quatre_en_ligne.text import hands_of, rows_of

if TYPE_CHECKING:
    from referee.games.quatre_en_ligne.position import QuatrePosition

__all__ = ["draw_board"]


def draw_board(position: QuatrePosition, *, ascii_only: bool) -> str:
    """The tiles with their coordinates; the pieces in hand; and who is to move or has won.

    A place without a tile is blank. Pieces that are face up are upper case.
    """
    rows = rows_of(position)
    x, y = position.corner
    columns = [str(x + column) for column in range(len(rows[0]))]
    lines = draw_cells(
        [row.replace(".", " ") for row in rows],
        [str(y + row) for row in reversed(range(len(rows)))],
        columns,
        ascii_only=ascii_only,
        width=max(map(len, columns)),
    )
    hands = hands_of(position)
    lines.append(
        "in hand: " + ", ".join(f"{player} {hand}" for player, hand in zip(PLAYERS, hands, strict=True))
    )
    if position.winner is not None:
        lines.append(f"{PLAYERS[position.winner]} has four face up in a line and has won")
    else:
        lines.append(f"{PLAYERS[position.turn]} to {'place a piece' if any(hands) else 'move'}")
    return "\n".join(lines)
