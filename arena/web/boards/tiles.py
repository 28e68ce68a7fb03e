"""Boards of Quatre en ligne: tiles on an unlimited plane, with their coordinates on them."""

from __future__ import annotations

import re

from arena.web.boards.canvas import EDGE, UNIT, Box, Drawing, frame, label, marks, piece, rectangle

__all__ = ["quatre_en_ligne", "tile_box", "tiles"]

_TO_EDGE = (UNIT + EDGE) / 2
"""From the centre of a place to the centre of its coordinate in the frame."""

_PLACE = re.compile(r"(-?\d+),(-?\d+)")


def quatre_en_ligne(position: str, move: str | None) -> Drawing:
    """Draw a position and its last move."""
    _, _, white, red, _ = position.split()
    letters = tiles(position)
    (left, wide), (low, high) = (_extent({place[axis] for place in letters}) for axis in (0, 1))
    pieces = [_piece(*place, letter) for place, letter in letters.items() if letter != "_"]
    box, rim = frame(left * UNIT, -(low + high) * UNIT, wide * UNIT, high * UNIT)
    names = [label(*_middle(x, low, down=1), str(x), "co") for x in range(left, left + wide)]
    names += [label(*_middle(left, y, aside=1), str(y), "co") for y in range(low, low + high)]
    marked = [] if move is None else _marks(move)
    hands = f"in hand: White {white}, Red {red}" if (white, red) != ("0", "0") else "four dots: face up"
    caption = f"player 1 is White, player 2 Red; {hands}"
    return Drawing(
        "on-table", box, "", (rim, *names, *(_tile(*place) for place in letters), *marked, *pieces), caption
    )


def tiles(position: str) -> dict[tuple[int, int], str]:
    """Return the letter of each tile, by its coordinates; from the bottom row to the top."""
    board, corner, *_ = position.split()
    left, low = map(int, corner.split(","))
    return {
        (left + right, low + up): letter
        for up, row in enumerate(reversed(board.split("/")))
        for right, letter in enumerate(row)
        if letter != "."
    }


def tile_box(x: int, y: int) -> Box:
    """Return the box of a place."""
    return x * UNIT, -(y + 1) * UNIT, UNIT, UNIT


def _extent(numbers: set[int]) -> tuple[int, int]:
    """Return the least number, and how many integers there are from the least to the greatest."""
    return min(numbers), max(numbers) - min(numbers) + 1


def _marks(move: str) -> list[str]:
    """Return the marks for the move of a piece, and the hole that a removed tile leaves."""
    piece_move, _, taken = move.partition("@")
    path = [_middle(int(x), int(y)) for x, y in _PLACE.findall(piece_move)]
    items = marks([path]) if path else []
    if taken:
        x, y = _middle(*map(int, taken.split(",")))
        items.append(rectangle(x - UNIT / 2 + 3, y - UNIT / 2 + 3, UNIT - 6, UNIT - 6, "hole"))
    return items


def _middle(x: int, y: int, aside: int = 0, down: int = 0) -> tuple[float, float]:
    """Return the centre of a place, or of the coordinate beside or below it."""
    return (x + 0.5) * UNIT - aside * _TO_EDGE, -(y + 0.5) * UNIT + down * _TO_EDGE


def _tile(x: int, y: int) -> str:
    look = "c2" if (x + y) % 2 else "c1"
    return rectangle(x * UNIT + 1.5, -(y + 1) * UNIT + 1.5, UNIT - 3, UNIT - 3, f"tile {look}")


def _piece(x: int, y: int, letter: str) -> str:
    shape, look = ("round", "ivory") if letter in "wW" else ("block", "red")
    element = piece(shape, *_middle(x, y), look)
    return element + (piece("four", *_middle(x, y), look) if letter.isupper() else "")
