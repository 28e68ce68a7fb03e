"""Draw boards as SVG from position strings; other games are drawn as their text diagrams."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from arena.web.boards.canvas import Box, Drawing, union
from arena.web.boards.colours import rodeurs
from arena.web.boards.squares import CHESS, ECLAIRCISSEMENT, HOPS, MOVERS_HOPPERS
from arena.web.boards.text import text_board
from arena.web.boards.tiles import quatre_en_ligne
from arena.web.boards.walls import quoridor
from referee import Position

__all__ = ["Box", "Drawing", "draw", "has_board", "union"]

_BOARDS: Final[dict[str, Callable[[str, str | None], Drawing]]] = {
    "quoridor": quoridor,
    "quoridor4": quoridor,
    "movers-hoppers": MOVERS_HOPPERS,
    "movers-hoppers-expert": MOVERS_HOPPERS,
    "rampants": MOVERS_HOPPERS,
    "eclaircissement": ECLAIRCISSEMENT,
    "quatre-en-ligne": quatre_en_ligne,
    "rodeurs": rodeurs,
    "rodeurs-diagonal": rodeurs,
    "hops": HOPS,
    "chess": CHESS,
    "chess960": CHESS,
}


def has_board(game: str) -> bool:
    """Return whether a game has a drawing of its own, and not only a text diagram."""
    return game in _BOARDS


def draw(game: str, position: Position, move: str | None = None) -> Drawing:
    """Draw a position.

    Args:
        game: the game's id.
        position: the position.
        move: the text of the last move, which is marked on the board; may be ``None``.
    """
    board = _BOARDS.get(game)
    return text_board(position.diagram()) if board is None else board(str(position), move)
