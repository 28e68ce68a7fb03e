"""Boards of Quatre en ligne: tiles on an unlimited plane, with their coordinates on them."""

from __future__ import annotations

import re

from arena.web.boards.canvas import UNIT, Drawing, disc, label, marks, rectangle

__all__ = ["quatre_en_ligne"]

_PLACE = re.compile(r"(-?\d+),(-?\d+)")
_MARGIN = 4


def quatre_en_ligne(position: str, move: str | None) -> Drawing:
    """Draw a position and its last move."""
    board, corner, white, red, _ = position.split()
    rows = board.split("/")
    left, low = map(int, corner.split(","))
    tiles, names, pieces = [], [], []
    for up, row in enumerate(reversed(rows)):
        for right, letter in enumerate(row):
            if letter == ".":
                continue
            tiles.append(_tile(left + right, low + up))
            names.append(_name(left + right, low + up))
            if letter != "_":
                pieces.append(_piece(left + right, low + up, letter))
    box = (
        left * UNIT - _MARGIN,
        -(low + len(rows)) * UNIT - _MARGIN,
        len(rows[0]) * UNIT + 2 * _MARGIN,
        len(rows) * UNIT + 2 * _MARGIN,
    )
    marked = [] if move is None else _marks(move)
    hands = f"in hand: White {white}, Red {red}" if (white, red) != ("0", "0") else "a dot: face up"
    caption = f"player 1 is White, player 2 Red; {hands}"
    return Drawing(box, "", (*tiles, *marked, *names, *pieces), caption)


def _marks(move: str) -> list[str]:
    """Return the marks for the move of a piece, and the hole that a removed tile leaves."""
    piece_move, _, taken = move.partition("@")
    path = [_middle(int(x), int(y)) for x, y in _PLACE.findall(piece_move)]
    items = marks([path], UNIT - 4) if path else []
    if taken:
        x, y = _middle(*map(int, taken.split(",")))
        items.append(rectangle(x - UNIT / 2 + 3, y - UNIT / 2 + 3, UNIT - 6, UNIT - 6, "hole"))
    return items


def _middle(x: int, y: int) -> tuple[float, float]:
    return (x + 0.5) * UNIT, -(y + 0.5) * UNIT


def _tile(x: int, y: int) -> str:
    return rectangle(x * UNIT + 1, -(y + 1) * UNIT + 1, UNIT - 2, UNIT - 2, "square tile")


def _name(x: int, y: int) -> str:
    return label((x + 0.5) * UNIT, -y * UNIT - 6, f"{x},{y}", "coordinate small")


def _piece(x: int, y: int, letter: str) -> str:
    look = "white" if letter in "wW" else "red"
    middle, up = _middle(x, y)
    element = disc(middle, up - 4, 12, f"piece {look}")
    return element + (disc(middle, up - 4, 6, "light") if letter.isupper() else "")
