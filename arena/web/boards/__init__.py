"""Boards of games: their drawings as SVG, and the places on which people click. Nothing here knows a game."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from itertools import cycle, islice

from arena.web.boards import svg
from arena.web.boards.drawing import Kind, board_places, draw_board
from arena.web.boards.moves import Choice, choices
from arena.web.boards.svg import SEAT_SHAPES, Drawing, Place
from referee import Position, RefereeError, game
from referee.drawn_board import Scene
from referee.game import Drawable
from referee.ply import is_fault

_WIDTH, _HEIGHT = 10, 20
"""The size of a character of a text diagram."""


def has_board(game_id: str) -> bool:
    """Return whether a game has a drawn board, and not only a text diagram."""
    return _board(game_id) is not None


def draw(game_id: str, position: Position, move: str | None = None, *, bare: bool = False) -> Drawing:
    """Draw a position, and mark the last ply if it is a move; games without a drawing are shown as a text.

    A ``bare`` board is drawn without its pieces, which a page adds from `pieces`.
    """
    drawn = _scene(game_id, position)
    if drawn is None:
        return text_board(position.diagram())
    board, scene = drawn
    if bare:
        scene = replace(scene, pieces={})
    return draw_board(board, scene, None if move is None or is_fault(move) else move)


def pieces(game_id: str) -> dict[str, str]:
    """Return the drawing of each kind of piece, with its centre at 0, 0, by the key that places have."""
    board = _board(game_id)
    return {} if board is None else {key: svg.piece(board, key, 0, 0) for key in board.pieces}


def seat_marks(game_id: str) -> list[tuple[str, str]]:
    """Return the name and the sign of each seat in the rules; none if they name no sides."""
    board = _board(game_id)
    if board is None:
        return []
    # Squares whose colour has the number of the seat belong to it, where no piece does.
    return [
        (name, _sign(board, key) if key else svg.rectangle(-13, -13, 26, 26, f"c{seat}"))
        for seat, (name, key) in enumerate(board.sides.items(), 1)
    ]


def _sign(board: Kind, key: str) -> str:
    """Return a piece as a sign beside a name. Light and dark pieces have a ground, as by night and by day."""
    drawn = svg.piece(board, key, 0, 0)
    has_ground = any(look in ("light", "dark") for _, look in board.pieces[key].shapes)
    return (svg.rectangle(-18, -18, 36, 36, "felt") if has_ground else "") + drawn


def seat_signs(game_id: str, seats: int) -> list[str]:
    """Return an SVG element for each seat: the piece of its side, or a shape."""
    pieces = [mark for _, mark in seat_marks(game_id) if "<use" in mark]
    shapes = [svg.shape(name, 0, 0, look) for name, look in islice(cycle(SEAT_SHAPES), seats)]
    return pieces if len(pieces) == seats else shapes


def places(game_id: str, position: Position) -> tuple[Place, ...]:
    """Return the places of a position; none for a game that is drawn as a text."""
    drawn = _scene(game_id, position)
    return () if drawn is None else tuple(board_places(*drawn))


def ways_to_move(game_id: str, position: Position) -> list[Choice]:
    """Return the ways to make each legal move from parts, which are clicks on places where they name any."""
    drawn = _scene(game_id, position)
    if drawn is None:
        return choices(position, ())
    board, scene = drawn
    return choices(position, {place.name for place in board_places(board, scene)}, board.words)


def _board(game_id: str) -> Kind | None:
    try:
        board = game(game_id).info.drawn
    except RefereeError:
        return None
    return board if isinstance(board, Kind) else None


def _scene(game_id: str, position: Position) -> tuple[Kind, Scene] | None:
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
