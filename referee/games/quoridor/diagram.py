"""The board of Quoridor drawn as text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.games.quoridor.board import BIT, SIZE
from referee.games.quoridor.walls import Walls

if TYPE_CHECKING:
    from referee.games.quoridor.position import QuoridorPosition

__all__ = ["draw_board"]

# The character at the corner of four squares. Its index is the sum of the walls that end there: 1 above, 2
# below, 4 left, 8 right.
_CORNERS = "·╹╻┃╸┛┓┫╺┗┏┣━┻┳╋"
_ASCII_CORNERS = "." + "+" * 15
_WIDTH = 4 * SIZE - 1


def draw_board(position: QuoridorPosition, *, ascii_only: bool) -> str:
    """The board with coordinates, walls and pawns; the walls left; and who is to move or has won.

    A pawn is drawn as the number of its player.
    """
    rim = "-" if ascii_only else "─"
    side = "|" if ascii_only else "│"
    upper, lower = ("++", "++") if ascii_only else ("┌┐", "└┘")
    lines = [f"   {upper[0]}{rim * _WIDTH}{upper[1]}"]
    for row in reversed(range(SIZE)):
        lines.append(f" {row + 1} {side}{_row(position, row, ascii_only=ascii_only)}{side}")
        if row:
            lines.append(f"   {side}{_gap(position.walls, row - 1, ascii_only=ascii_only)}{side}")
    lines.append(f"   {lower[0]}{rim * _WIDTH}{lower[1]}")
    lines.append("     " + "   ".join("abcdefghi"))
    lines.append(
        "walls left: " + ", ".join(f"player {seat} {hand}" for seat, hand in enumerate(position.hands, 1))
    )
    goals = position.seating.goal_names
    if position.winner is None:
        lines.append(f"player {position.turn + 1} to move, towards {goals[position.turn]}")
    else:
        lines.append(f"player {position.winner + 1} has reached {goals[position.winner]} and won")
    return "\n".join(lines)


def _row(position: QuoridorPosition, row: int, *, ascii_only: bool) -> str:
    """The squares of a row, with the vertical walls between them."""
    bar = "|" if ascii_only else "┃"
    drawn = []
    for square in range(SIZE * row, SIZE * (row + 1)):
        player = str(position.pawns.index(square) + 1) if square in position.pawns else " "
        drawn.append(f" {player} {' ' if position.walls.east & BIT[square] else bar}")
    return "".join(drawn)[:_WIDTH]


def _gap(walls: Walls, row: int, *, ascii_only: bool) -> str:
    """The line between a row and the row above it: horizontal walls and corners."""
    line = "-" if ascii_only else "━"
    corners = _ASCII_CORNERS if ascii_only else _CORNERS
    drawn = []
    for square in range(SIZE * row, SIZE * (row + 1)):
        drawn.append((" " if walls.north & BIT[square] else line) * 3)
        arms = (
            _is_blocked(walls.east, square + SIZE)
            + 2 * _is_blocked(walls.east, square)
            + 4 * _is_blocked(walls.north, square)
            + 8 * _is_blocked(walls.north, square + 1)
        )
        drawn.append(corners[arms])
    return "".join(drawn)[:_WIDTH]


def _is_blocked(open_edges: int, square: int) -> bool:
    return not open_edges & BIT[square]
