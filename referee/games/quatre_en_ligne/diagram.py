"""Quatre en ligne's board drawn for people."""

from __future__ import annotations

from referee.games.common.drawing import draw_cells
from referee.games.quatre_en_ligne.text import COLOURS, Fields, hands_of, rows_of

__all__ = ["diagram"]


def diagram(fields: Fields, winner: int | None, *, ascii_only: bool) -> str:
    """The tiles with their coordinates, the pieces in hand, and who is to move or has won.

    Where no tile is there is a blank; pieces that are face up are capitals.
    """
    rows = rows_of(fields)
    x, y = fields.corner
    columns = [str(x + column) for column in range(len(rows[0]))]
    lines = draw_cells(
        [row.replace(".", " ") for row in rows],
        [str(y + row) for row in reversed(range(len(rows)))],
        columns,
        ascii_only=ascii_only,
        width=max(map(len, columns)),
    )
    hands = hands_of(fields)
    lines.append(
        "in hand: " + ", ".join(f"{colour} {hand}" for colour, hand in zip(COLOURS, hands, strict=True))
    )
    if winner is not None:
        lines.append(f"{COLOURS[winner]} has four face up in a line and has won")
    else:
        lines.append(f"{COLOURS[fields.turn]} to {'place a piece' if any(hands) else 'move'}")
    return "\n".join(lines)
