"""The board of Rôdeurs drawn as text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from referee.games.common.drawing import draw_grid
from referee.games.common.notation import EMPTY
from referee.games.rodeurs.board import GRID, count_pawns, points
from referee.games.rodeurs.text import LETTERS, cells_of, colours_of

if TYPE_CHECKING:
    from referee.games.rodeurs.position import RodeursPosition

__all__ = ["draw_board"]

_COLOURS: Final = ("green", "yellow", "red")


def draw_board(position: RodeursPosition, *, ascii_only: bool) -> str:
    """The board with square colours and pawns; the points of each player; and who is to move or has won.

    A square is drawn as a sign for its colour and the letter of its pawn.
    """
    signs = {"w": ".", "b": "#", "-": " "} if ascii_only else {"w": "□", "b": "■", "-": " "}
    letters = cells_of(position).replace(EMPTY, " ")
    cells = [signs[colour] + letter for colour, letter in zip(colours_of(position), letters, strict=True)]
    lines = draw_grid(cells, GRID, ascii_only=ascii_only, width=2)
    key = ", ".join(f"{letter} {cost}" for cost, letter in enumerate(LETTERS, 1))
    lines.append(f"squares: {signs['w']} player 1, {signs['b']} player 2; points: {key}")
    for player, counts in enumerate(count_pawns(position.white, position.pawns), 1):
        pawns = ", ".join(f"{count} {colour}" for count, colour in zip(counts, _COLOURS, strict=True))
        lines.append(f"points of player {player}: {points(counts)} ({pawns})")
    lines.append(_state(position))
    return "\n".join(lines)


def _state(position: RodeursPosition) -> str:
    """The line that says who is to move or has won."""
    outcome = position.outcome()
    if outcome is None:
        return f"player {position.turn + 1} to move{', a single jump' if position.is_first_turn else ''}"
    if outcome.winner is None:
        return "the game is a draw: both players have equally many pawns of every colour"
    return f"the game is over: player {outcome.winner + 1} has won by fewer {outcome.reason}"
