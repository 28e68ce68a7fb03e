"""Boards drawn as SVG, from position strings alone; other games than ours by their diagrams."""

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

__all__ = ["Box", "Drawing", "draw", "union"]

_ARTISTS: Final[dict[str, Callable[[str, str | None], Drawing]]] = {
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
}


def draw(game: str, position: Position, move: str | None = None) -> Drawing:
    """Draw a position.

    Args:
        game: the game's id.
        position: of this game.
        move: the text of the move that led to it, to be marked.
    """
    artist = _ARTISTS.get(game)
    return text_board(position.diagram()) if artist is None else artist(str(position), move)
