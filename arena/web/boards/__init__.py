"""Boards of games: their drawings as SVG, and the places on which people click.

A module draws each kind of board that `referee.board` has. None of them knows a game.
"""

from __future__ import annotations

from html import escape

from arena.web.boards.canvas import Box, Drawing, Place, union
from arena.web.boards.grooves import draw_grooves, groove_places
from arena.web.boards.moves import Choice, Part, choices
from arena.web.boards.squares import draw_squares, square_places
from arena.web.boards.tiles import draw_tiles, tile_places
from referee import Position, RefereeError, game
from referee.board import Board, Grooves, Scene, Squares, Tiles
from referee.game import Drawable

__all__ = [
    "Box",
    "Choice",
    "Drawing",
    "Part",
    "Place",
    "draw",
    "has_board",
    "places",
    "union",
    "ways_to_move",
]

_WIDTH, _HEIGHT = 10, 20
"""The size of a character of a text diagram."""


def has_board(game_id: str) -> bool:
    """Return whether a game has a drawing of its own, and not only a text diagram."""
    return _board(game_id) is not None


def draw(game_id: str, position: Position, move: str | None = None) -> Drawing:
    """Draw a position, and mark the last move on it; games without a drawing are shown as a text."""
    match _scene(game_id, position):
        case (Squares() as board, scene):
            return draw_squares(board, scene, move)
        case (Grooves() as board, scene):
            return draw_grooves(board, scene, move)
        case (Tiles() as board, scene):
            return draw_tiles(board, scene, move)
        case _:
            return text_board(position.diagram())


def places(game_id: str, position: Position) -> tuple[Place, ...]:
    """Return the places of a position; none for a game that is drawn as a text."""
    match _scene(game_id, position):
        case (Squares() as board, scene):
            return tuple(square_places(board, scene))
        case (Grooves() as board, scene):
            return tuple(groove_places(board, scene))
        case (Tiles() as board, scene):
            return tuple(tile_places(board, scene))
        case _:
            return ()


def ways_to_move(game_id: str, position: Position) -> list[Choice]:
    """Return the ways to make each legal move from parts, which are clicks on places where they name any."""
    found = _scene(game_id, position)
    names = {place.name for place in places(game_id, position)}
    return (
        choices(position, names)
        if found is None
        else choices(position, names, found[0].words, found[1].setup)
    )


def _board(game_id: str) -> Board | None:
    try:
        return game(game_id).info.drawn
    except RefereeError:
        return None


def _scene(game_id: str, position: Position) -> tuple[Board, Scene] | None:
    board = _board(game_id)
    return (board, position.scene()) if board is not None and isinstance(position, Drawable) else None


def text_board(diagram: str) -> Drawing:
    """Draw the lines of a diagram."""
    rows = diagram.splitlines()
    items = tuple(
        f'<text x="0" y="{_HEIGHT * (number + 1) - 5}" class="diagram" textLength="{_WIDTH * len(row)}"'
        f' lengthAdjust="spacingAndGlyphs" xml:space="preserve">{escape(row)}</text>'
        for number, row in enumerate(map(_printable, rows))
        if row.strip()
    )
    width = max((len(row) for row in rows), default=1)
    return Drawing("on-text", (0, 0, max(width, 1) * _WIDTH, max(len(rows), 1) * _HEIGHT), "", items)


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text).rstrip()
