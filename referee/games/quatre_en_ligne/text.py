"""Position strings, diagrams and the drawn board of Quatre en ligne.

A position string has five fields: the rows of the board, the coordinates of its lower left corner, the pieces
that White has in hand, the pieces that Red has in hand, and the player to move. Source: rule sheet 003.
"""

from __future__ import annotations

import re
from typing import Final

from protocol.words import counted
from referee.board import Piece, Scene, Tiles
from referee.errors import PositionError
from referee.games.common import draw_cells, quoted, split_fields
from referee.games.grid import squares
from referee.games.quatre_en_ligne.board import PIECES, PLAYERS, QuatreBoard
from referee.games.quatre_en_ligne.tiles import (
    BIT,
    FARTHEST,
    MARGIN,
    NUMBER,
    SIZE,
    TILES,
    Coordinates,
    has_line,
    holds_together,
    named,
)

_FIELDS = ("board", "corner", "white in hand", "red in hand", "player to move")
_START = "/".join(["_____"] * 4)
_CORNER = re.compile(f"{NUMBER},{NUMBER}")
_WRONG = re.compile(r"[^._wrWR]")


def read_position(text: str) -> tuple[Coordinates, int, tuple[int, int], int, int, int | None]:
    """Read a position string.

    Returns:
        The corner of the tiles' box, the tiles, White's and Red's pieces, the pieces that are face up, the
        seat to move, and the seat that has won or None.
    """
    board, corner_text, white_text, red_text, side = split_fields(text, _FIELDS)
    rows = board.split("/")
    _check_rows(rows)
    tiles = _squares(rows, "_wrWR")
    if not holds_together(tiles):
        raise PositionError("board", "the tiles are not all connected by their sides")
    corner = _read_corner(corner_text, rows)
    pieces = (_squares(rows, "wW"), _squares(rows, "rR"))
    hands = (
        _read_hand("white in hand", white_text, pieces[0]),
        _read_hand("red in hand", red_text, pieces[1]),
    )
    if hands[1] not in (hands[0], hands[0] + 1):
        raise PositionError(
            "red in hand", "White begins, so Red has as many pieces in hand as White or one more"
        )
    if side not in ("w", "r"):
        raise PositionError("player to move", f"{quoted(side)} is neither w nor r")
    up, turn = _squares(rows, "WR"), "wr".index(side)
    if hands[1]:
        _check_placing(board, hands, up, turn)
    mover = 1 - turn
    winner = mover if has_line(pieces[mover] & up) else None
    return corner, tiles, pieces, up, turn, winner


def _check_rows(rows: list[str]) -> None:
    """Reject rows that are not the bounding box of twenty tiles."""
    width = len(rows[0])
    for row in rows:
        if wrong := _WRONG.search(row):
            raise PositionError("board", f"{quoted(wrong[0])} is not one of . _ w r W R")
        if len(row) != width:
            raise PositionError(
                "board", f"the row {quoted(row)} has {len(row)} places, the first has {width}"
            )
    count = sum(len(row) - row.count(".") for row in rows)
    if count != TILES:
        raise PositionError("board", f"it has {counted(count, 'tile')}, not {TILES}")
    columns = ["".join(column) for column in zip(*rows, strict=True)]
    for line, where in (
        (rows[0], "top row"),
        (rows[-1], "bottom row"),
        (columns[0], "left column"),
        (columns[-1], "right column"),
    ):
        if not line.strip("."):
            raise PositionError("board", f"there is no tile in the {where}")
    if len(rows) > TILES or width > TILES:
        raise PositionError("board", "the tiles are not all connected by their sides")


def _squares(rows: list[str], letters: str) -> int:
    """The squares of the window that have one of the letters."""
    bits = 0
    for row, line in enumerate(reversed(rows), MARGIN):
        for column, letter in enumerate(line, MARGIN):
            if letter in letters:
                bits |= BIT[SIZE * row + column]
    return bits


def _read_corner(text: str, rows: list[str]) -> Coordinates:
    match = _CORNER.fullmatch(text)
    if match is None:
        raise PositionError(
            "corner",
            f"{quoted(text)} is not two numbers from -{FARTHEST} to {FARTHEST} such as -1,2",
        )
    x, y = int(match[1]), int(match[2])
    if max(x + len(rows[0]), y + len(rows)) - 1 > FARTHEST:
        raise PositionError("corner", f"from {named((x, y))} the tiles go beyond {FARTHEST}")
    return x, y


def _read_hand(field: str, text: str, pieces: int) -> int:
    if len(text) != 1 or text not in "0123456":
        raise PositionError(field, f"{quoted(text)} is no number from 0 to {PIECES}")
    standing = pieces.bit_count()
    if standing + int(text) != PIECES:
        raise PositionError(
            field, f"{standing} on the board and {text} in hand make {standing + int(text)}, not {PIECES}"
        )
    return int(text)


def _check_placing(board: str, hands: tuple[int, int], up: int, turn: int) -> None:
    """Reject tiles, faces and turns that are impossible before all pieces are placed."""
    if up:
        raise PositionError("board", "no piece is face up before all twelve pieces are placed")
    if re.sub(r"[wr]", "_", board) != _START:
        raise PositionError("board", "the tiles are 5 wide and 4 high until all twelve pieces are placed")
    expected = hands[1] - hands[0]
    if turn != expected:
        raise PositionError(
            "player to move",
            f"with {hands[0]} and {hands[1]} pieces in hand it is {PLAYERS[expected]}'s turn",
        )


def write_position(position: QuatreBoard) -> str:
    """The position string."""
    white, red = _hands(position)
    return f"{'/'.join(_rows(position))} {named(position.corner)} {white} {red} {'wr'[position.turn]}"


def _hands(position: QuatreBoard) -> tuple[int, int]:
    """The pieces that White and Red have in hand."""
    white, red = position.pieces
    return PIECES - white.bit_count(), PIECES - red.bit_count()


def _rows(position: QuatreBoard) -> list[str]:
    """The rows of the tiles' box from the top row down, with one character for each place."""
    highest = (position.tiles.bit_length() - 1) // SIZE
    rows = []
    width = 0
    for row in range(highest, MARGIN - 1, -1):
        squares = range(SIZE * row + MARGIN, SIZE * (row + 1))
        rows.append("".join(_letter(position, BIT[square]) for square in squares).rstrip("."))
        width = max(width, len(rows[-1]))
    return [row.ljust(width, ".") for row in rows]


def _letter(position: QuatreBoard, bit: int) -> str:
    if not position.tiles & bit:
        return "."
    for letter, pieces in zip("wr", position.pieces, strict=True):
        if pieces & bit:
            return letter.upper() if position.up & bit else letter
    return "_"


def draw_board(position: QuatreBoard, *, ascii_only: bool) -> str:
    """The tiles with their coordinates; the pieces in hand; and who is to move or has won.

    A place without a tile is blank. Pieces that are face up are upper case.
    """
    rows = _rows(position)
    x, y = position.corner
    columns = [str(x + column) for column in range(len(rows[0]))]
    lines = draw_cells(
        [row.replace(".", " ") for row in rows],
        [str(y + row) for row in reversed(range(len(rows)))],
        columns,
        ascii_only=ascii_only,
        width=max(map(len, columns)),
    )
    hands = _hands(position)
    lines.append(
        "in hand: " + ", ".join(f"{player} {hand}" for player, hand in zip(PLAYERS, hands, strict=True))
    )
    if position.winner is not None:
        lines.append(f"{PLAYERS[position.winner]} has four face up in a line and has won")
    else:
        lines.append(f"{PLAYERS[position.turn]} to {'place a piece' if any(hands) else 'move'}")
    return "\n".join(lines)


DRAWN: Final = Tiles(
    look="table",
    pieces={
        "w": Piece("White piece, face down", (("round", "ivory"),)),
        "r": Piece("Red piece, face down", (("block", "red"),)),
        "W": Piece("White piece, face up", (("round", "ivory"), ("four", "ivory"))),
        "R": Piece("Red piece, face up", (("block", "red"), ("four", "red"))),
    },
)


def scene(position: QuatreBoard) -> Scene:
    """The tiles and pieces as they are drawn."""
    letters = {
        named(position.place_of(square)): _letter(position, BIT[square]) for square in squares(position.tiles)
    }
    white, red = _hands(position)
    hands = f"in hand: White {white}, Red {red}" if white or red else "four dots: face up"
    pieces = {place: letter for place, letter in letters.items() if letter != "_"}
    return Scene(pieces, f"player 1 is White, player 2 Red; {hands}", tiles=tuple(letters))
