"""Cuts the texts of moves into parts that name places: for marks on boards, and for moves made by clicks.

A part is the name of a place on the board, with the sign before it in the text (such as ``>``), or a sign or
a letter alone. If the moves of a game consist of such parts, this module needs no code for the game. The page
shows the parts that can follow those already chosen, so exactly the legal moves can be made.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from referee import MoveError, Position

TAKEN: Final = "@"
"""The sign before the place from which a move takes a tile."""

_PLACE: Final = r"-?\d+,-?\d+|[a-z]\d{1,2}"
_PART: Final = re.compile(rf"(?P<sign>[^a-z0-9-]*)(?P<place>{_PLACE})|[^a-z0-9]+|.")
_PART_OF_PLACE: Final = re.compile(r"-?\d+,-?\d+|[a-z]\d")

_NO_WORDS: Final[Mapping[str, str]] = {}
_MOST_REORDERED: Final = 2000
"""The most moves of two actions that are offered in both orders; more would take too long."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a move."""

    text: str  # the characters of the move
    place: str = ""  # on the board; "" if the part has none
    word: str = ""  # what the sign or the letter means; "" for a place without one


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to make a legal move: its text, and its parts in the order in which they are chosen."""

    text: str
    parts: tuple[Part, ...]


def paths(move: str) -> list[list[str]]:
    """Return the places of each action of a move, in order. A comma before a place begins an action."""
    found: list[list[str]] = [[]]
    for part in cut(move, ()):
        if part.text.startswith(","):
            found.append([])
        if part.place:
            found[-1].append(part.place)
    return [path for path in found if path]


def choices(
    position: Position,
    names: Collection[str],
    words: Mapping[str, str] = _NO_WORDS,
    setup: Sequence[str] = (),
) -> list[Choice]:
    """Return the ways to make each legal move of a position, on a board with places of these names.

    ``setup`` has the places that the letters of a set-up are for, in their order.
    """
    texts = [str(move) for move in position.legal_moves()]
    bare = [text for text in texts if not _PART_OF_PLACE.search(text)]
    letters = len(bare) > 1 and len({*map(len, bare)}) == 1  # as in a set-up, `mmmhhh`
    found = []
    pairs = sum("," in text for text in texts)
    for text in texts:
        parts = cut(text, names, words, letters=letters)
        if letters and len(parts) == len(setup) and text in bare:
            parts = tuple(replace(part, place=place) for part, place in zip(parts, setup, strict=True))
        found.append(Choice(text, parts))
        if pairs <= _MOST_REORDERED:
            found += _in_other_order(position, text, parts, words)
        if len(parts) == 3 and parts[2].text.startswith(TAKEN):  # the tile is chosen before the piece
            found.append(Choice(text, (parts[2], parts[1], parts[0])))
    return found


def cut(
    text: str, names: Collection[str], words: Mapping[str, str] = _NO_WORDS, *, letters: bool = False
) -> tuple[Part, ...]:
    """Return the parts of a move, whose texts joined are its text; a move may be the name of a place.

    ``letters`` is whether each letter of a move without a place is a part.
    """
    if text in names:
        return (Part(text, text),)
    if not _PART_OF_PLACE.search(text):
        return tuple(Part(one, "", words.get(one, one)) for one in (text if letters else [text]))
    parts = []
    for found in _PART.finditer(text):
        place, sign = found["place"] or "", found["sign"] or ""
        word = words.get(sign.lstrip(","), "") if place else words.get(found[0], found[0])
        parts.append(Part(found[0], place, word))
    return tuple(parts)


def _in_other_order(
    position: Position, text: str, parts: tuple[Part, ...], words: Mapping[str, str]
) -> Iterator[Choice]:
    """Yield the same move with its two actions in the other order, if the rules allow that one, too."""
    first, comma, second = text.partition(",")
    starts = [index for index, part in enumerate(parts) if index and part.text.startswith(",")]
    if not comma or len(starts) != 1:
        return
    other = f"{second},{first}"
    try:
        move = position.parse_move(other)
    except MoveError:
        return
    if position.play(move) == position.play(position.parse_move(text)):
        yield Choice(other, cut(other, (), words))
