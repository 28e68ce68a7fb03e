"""The places of a board that are named in moves: where they are in its drawing, and what stands on them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from arena.web.boards.canvas import UNIT, Box
from arena.web.boards.squares import CHESS, ECLAIRCISSEMENT, HOPS, MOVERS_HOPPERS, SquareBoard, cells
from arena.web.boards.tiles import tile_box, tiles
from arena.web.boards.walls import SIZE, square_box, wall_box
from referee import Position

__all__ = ["Place", "places", "setup_places"]


@dataclass(frozen=True, slots=True)
class Place:
    """A place of a board.

    Attributes:
        name: as it is written in moves.
        box: left, top, width and height in the drawing.
        row, column: where the place is among the others, for the arrow keys: higher rows are further up. A
            place between two squares has an odd number.
        label: the place and what stands on it, in words.
        between: whether it is between squares, as the place of a wall.
        empty: whether nothing stands on it.
    """

    name: str
    box: Box
    row: int
    column: int
    label: str
    between: bool = False
    empty: bool = False


def places(game: str, position: Position) -> tuple[Place, ...]:
    """Return the places of a position; none for a game that is drawn as a text."""
    find = _PLACES.get(game)
    return () if find is None else tuple(find(str(position)))


def setup_places(game: str, position: Position) -> tuple[str, ...]:
    """Return the places that the letters of a set-up are for, in their order; none in other games."""
    if game not in ("movers-hoppers", "movers-hoppers-expert", "rampants"):
        return ()
    rows = "12" if position.turn == 0 else "87"  # the back row of the player's camp, then its front row
    return tuple(f"{column}{row}" for row in rows for column in "abc")


def _squares(board: SquareBoard, names: Mapping[str, str], position: str) -> Iterator[Place]:
    lines = cells(position.split(maxsplit=1)[0])
    yield from _grid(board.columns, board.rows, lambda column, row: names.get(lines[-1 - row][column], ""))


def _grid(columns: int, rows: int, content: Callable[[int, int], str]) -> Iterator[Place]:
    """Yield the squares of a board from its top row to the bottom; ``content`` says what is on one."""
    for row in reversed(range(rows)):
        for column in range(columns):
            box = (column * UNIT, (rows - 1 - row) * UNIT, UNIT, UNIT)
            yield _place(_square_name(column, row), box, (2 * row, 2 * column), content(column, row))


def _place(name: str, box: Box, at: tuple[int, int], content: str) -> Place:
    return Place(name, box, *at, f"{name}, {content or 'empty'}", empty=not content)


def _square_name(column: int, row: int) -> str:
    return f"{chr(ord('a') + column)}{row + 1}"


def _rodeurs(position: str) -> Iterator[Place]:
    owners, board, _ = position.split()
    squares, pawns = owners.split("/"), cells(board)
    grounds = {"w": "light square", "b": "dark square", "-": "grey square"}
    colours = {"g": "green pawn", "y": "yellow pawn", "r": "red pawn"}

    def content(column: int, row: int) -> str:
        pawn = colours.get(pawns[-1 - row][column], "")
        return f"{pawn} on a {grounds[squares[-1 - row][column]]}" if pawn else ""

    yield from _grid(7, 9, content)


_WALL: Final = re.compile(r"[a-h][1-8]")


def _quoridor(position: str) -> Iterator[Place]:
    flat, upright, pawns, *_ = (field.strip() for field in position.split("/"))
    on = {pawn: f"pawn of player {number}" for number, pawn in enumerate(pawns.split(), 1)}
    walls = {*(f"{one}h" for one in _WALL.findall(flat)), *(f"{one}v" for one in _WALL.findall(upright))}
    for row in reversed(range(SIZE)):
        for column in range(SIZE):
            name = _square_name(column, row)
            yield _place(name, square_box(column, row), (2 * row, 2 * column), on.get(name, ""))
    for row in reversed(range(SIZE - 1)):
        for column in range(SIZE - 1):
            name = _square_name(column, row)
            above = f"above {name} and {_square_name(column + 1, row)}"
            beside = f"right of {name} and {_square_name(column, row + 1)}"
            for kind, where, at in (
                ("h", above, (2 * row + 1, 2 * column)),
                ("v", beside, (2 * row, 2 * column + 1)),
            ):
                stands = f"{name}{kind}" in walls
                label = f"{name}{kind}, {'wall' if stands else 'groove'} {where}"
                yield Place(
                    f"{name}{kind}", wall_box(column, row, kind), *at, label, between=True, empty=not stands
                )


def _quatre_en_ligne(position: str) -> Iterator[Place]:
    """Yield the tiles, and the places around them where a tile can be laid."""
    letters = tiles(position)
    names = {
        ".": "no tile",
        "w": "White piece, face down",
        "r": "Red piece, face down",
        "W": "White piece, face up",
        "R": "Red piece, face up",
        "_": "",
    }
    columns, rows = ({place[axis] for place in letters} for axis in (0, 1))
    for y in range(max(rows) + 1, min(rows) - 2, -1):
        for x in range(min(columns) - 1, max(columns) + 2):
            letter = letters.get((x, y), ".")
            place = _place(f"{x},{y}", tile_box(x, y), (2 * y, 2 * x), names[letter])
            yield Place(place.name, place.box, place.row, place.column, place.label, empty=letter in "._")


_CHESS: Final = {"p": "pawn", "n": "knight", "b": "bishop", "r": "rook", "q": "queen", "k": "king"}
_KINDS: Final = {
    "movers": {"M": "White mover", "H": "White hopper", "m": "Red mover", "h": "Red hopper"},
    "light": {"w": "White pawn", "r": "Red pawn", "W": "White pawn, lit", "R": "Red pawn, lit"},
    "hops": {
        "b": "Blue pawn",
        "r": "Red pawn",
        "B": "Blue pawn with the ball",
        "R": "Red pawn with the ball",
    },
    "chess": {
        letter: f"{side} {name}"
        for side, change in (("White", str.upper), ("Black", str.lower))
        for letter, name in ((change(key), name) for key, name in _CHESS.items())
    },
}

_PLACES: Final[dict[str, Callable[[str], Iterator[Place]]]] = {
    "quoridor": _quoridor,
    "quoridor4": _quoridor,
    "movers-hoppers": partial(_squares, MOVERS_HOPPERS, _KINDS["movers"]),
    "movers-hoppers-expert": partial(_squares, MOVERS_HOPPERS, _KINDS["movers"]),
    "rampants": partial(_squares, MOVERS_HOPPERS, _KINDS["movers"]),
    "eclaircissement": partial(_squares, ECLAIRCISSEMENT, _KINDS["light"]),
    "quatre-en-ligne": _quatre_en_ligne,
    "rodeurs": _rodeurs,
    "rodeurs-diagonal": _rodeurs,
    "hops": partial(_squares, HOPS, _KINDS["hops"]),
    "chess": partial(_squares, CHESS, _KINDS["chess"]),
    "chess960": partial(_squares, CHESS, _KINDS["chess"]),
}
