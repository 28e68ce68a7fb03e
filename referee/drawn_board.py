"""How a game's board is drawn and clicked, as values that rules declare beside their moves.

A board has *places*, which have the names that moves use: ``e2`` is a square, ``e3h`` a wall, and ``-1,2`` a
tile. There are three kinds of boards: `Squares`, `Grooves` and `Tiles`. Each kind is drawn from its
declaration and from a `Scene`, which says what is on it in one position. A person makes a move by
clicking on the places in its text, one after another.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

__all__ = [
    "SIDES",
    "Board",
    "Colours",
    "Decision",
    "Disc",
    "Grooves",
    "Line",
    "Look",
    "Piece",
    "Scene",
    "Shape",
    "Side",
    "Squares",
    "Tiles",
    "chequered",
    "pieces_by_square",
    "square_name",
]

Look = Literal["lane", "night", "pitch", "slate", "street", "table", "wood"]
"""The material of a board: the colours of its frame and of up to four kinds of squares."""

Body = Literal["round", "block", "ring", "diamond", "wedge", "bars"]
Sign = Literal["cross", "arc", "ball", "glow", "sun", "four", "pip-1", "pip-2", "pip-3"]
ChessPiece = Literal["chess-p", "chess-r", "chess-n", "chess-b", "chess-q", "chess-k"]
Shape = Body | Sign | ChessPiece
"""The shapes of pieces: a body is a piece by itself, and a sign is drawn on a body."""

_Plain = Literal["ivory", "red", "violet", "teal", "sky", "light", "dark", "green", "yellow", "crimson"]
_AtNight = Literal["moth", "moth lit", "ember", "ember lit"]
Colours = _Plain | _AtNight | Literal[""]
"""The colours of a shape; "" for signs that have colours of their own."""

Side = Literal["top", "right", "bottom", "left"]
SIDES: Final[tuple[Side, ...]] = ("top", "right", "bottom", "left")

_COORDINATES: Final = re.compile(r"(0|-?[1-9]\d*),(0|-?[1-9]\d*)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Piece:
    """A kind of pieces.

    Attributes:
        name: what it is, for people who hear the page, for example ``White pawn``.
        shapes: its shapes with their colours, from the bottom to the top.
    """

    name: str
    shapes: tuple[tuple[Shape, Colours], ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A line on the squares. The unit is a square, and 0, 0 is the upper left corner of the board."""

    points: tuple[tuple[float, float], ...]
    look: Literal["inlay", "lantern"] = "inlay"


@dataclass(frozen=True, slots=True)
class Disc:
    """A disc on the squares, in the same unit as a `Line`."""

    x: float
    y: float
    radius: float
    look: Literal["inlay", "halo"] = "inlay"


@dataclass(frozen=True, slots=True)
class Decision:
    """What decided a game, which pages mark on the last position.

    Attributes:
        winning: the places that decide for the winner, for example of four pieces in a line; each has a ring.
        losing: the places that decide against a player, for example of a mated king; each has a red frame.
        lines: places that a line connects, in the order of the line.
        side: the side of the board that the winner reached; None if it does not matter.
        gone: the key of the piece that left the board in the last move, over the top or the bottom side.
    """

    winning: tuple[str, ...] = ()
    losing: tuple[str, ...] = ()
    lines: tuple[tuple[str, ...], ...] = ()
    side: Side | None = None
    gone: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """What is on a board in one position.

    Attributes:
        pieces: by place, the key of its piece in `Board.pieces`.
        caption: facts that the board does not show, such as pieces in hand; may be empty.
        walls: the walls in `Grooves`.
        tiles: the places that have a tile, on `Tiles`.
        ground: the colours of `Squares`, if they depend on the position; empty for the colours of the board.
        setup: if a move is a word with a letter for each piece to set up: the places of these letters.
        hands: by seat, how many walls or pieces are not on the board yet; empty if the game has none.
        decision: what decided the game, if it is over.
    """

    pieces: Mapping[str, str]
    caption: str = ""
    walls: tuple[str, ...] = ()
    tiles: tuple[str, ...] = ()
    ground: tuple[str, ...] = ()
    setup: tuple[str, ...] = ()
    hands: tuple[int, ...] = ()
    decision: Decision | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Board(ABC):
    """What all kinds of boards have.

    Attributes:
        look: the colours of the board.
        pieces: the kinds of pieces, by a key that a `Scene` uses, such as the letter in the position string.
        words: what the signs and letters in moves mean, for example ``{"q": "queen"}``. A page shows them
            where a click on a place can mean several things.
        sides: the players' names in the rules, in the order of the seats, each with the key of a piece that
            shows whose it is ("" if no piece does), for example ``{"White": "K", "Black": "k"}``.
    """

    look: Look
    pieces: Mapping[str, Piece]
    words: Mapping[str, str] = field(default_factory=dict)
    sides: Mapping[str, str] = field(default_factory=dict)

    @abstractmethod
    def has(self, place: str) -> bool:
        """Whether a piece can be on this place."""

    def has_wall(self, _place: str) -> bool:
        """Whether a wall can be on this place."""
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rectangle(Board):
    """A board of squares in columns and rows: ``a1`` is at the lower left.

    Attributes:
        columns, rows: the size: at most 26 columns and 99 rows.
        goals: by seat, the side of the board that the player must reach; may be empty.
    """

    columns: int
    rows: int
    goals: tuple[Side, ...] = ()

    def has(self, place: str) -> bool:
        """Whether this is the name of a square."""
        return place in set(square_names(self.columns, self.rows))


@dataclass(frozen=True, slots=True, kw_only=True)
class Squares(Rectangle):
    """Squares side by side. Beyond its goals the board has room for a piece that leaves it.

    Attributes:
        ground: the colours of the squares: rows from the top down, with a digit from 1 to 4 for each square;
            chequered if empty.
        grounds: the names of these colours by digit, if they matter in the game.
        drawn: lines and discs on the squares.
    """

    ground: tuple[str, ...] = ()
    grounds: Mapping[str, str] = field(default_factory=dict)
    drawn: tuple[Line | Disc, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Grooves(Rectangle):
    """Squares with grooves between them, for walls that are two squares long.

    The wall ``e3h`` is above ``e3`` and the square to its right; ``e3v`` is to the right of ``e3`` and the
    square above it.
    """

    def has_wall(self, place: str) -> bool:
        """Whether this is the name of a wall."""
        return place[:-1] in set(square_names(self.columns - 1, self.rows - 1)) and place[-1] in "hv"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiles(Board):
    """Tiles on a plane without an end. A place has coordinates: ``-1,2`` is left of ``0,2``.

    A move that takes a tile from a place and lays it elsewhere ends with ``@`` and this place.
    """

    def has(self, place: str) -> bool:
        """Whether these are coordinates."""
        return _COORDINATES.fullmatch(place) is not None


def square_name(column: int, row: int) -> str:
    """Return the name of a square; column and row count from 0."""
    return f"{chr(ord('a') + column)}{row + 1}"


def square_names(columns: int, rows: int) -> Iterator[str]:
    """Yield the names of all squares by row from the bottom, and then by column from the left."""
    return (square_name(column, row) for row in range(rows) for column in range(columns))


def chequered(columns: int, rows: int) -> tuple[str, ...]:
    """Return a ground of two colours, with the darker one, 2, on a1."""
    return tuple(
        "".join("12"[(column + row) % 2 == 0] for column in range(columns)) for row in reversed(range(rows))
    )


def pieces_by_square(cells: Iterable[str], columns: int, empty: str = ".") -> dict[str, str]:
    """Return the pieces of a `Scene` from a letter for each square, from a1 to the right and then up."""
    return {
        square_name(index % columns, index // columns): letter
        for index, letter in enumerate(cells)
        if letter != empty
    }
