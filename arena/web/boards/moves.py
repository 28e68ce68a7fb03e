"""Cuts the texts of moves into parts that name places: for marks on boards, and for moves made by clicks.

A part is the name of a place on the board, with the sign before it in the text (such as ``>``), or a sign or
a letter alone. If the moves of a game consist of such parts, this module needs no code for the game. The page
shows the parts that can follow those already chosen, so exactly the legal moves can be made.

The page also draws each part when it is chosen. It moves a piece along the places of an action. What it
cannot know, such as a promotion or a capture beside the way, is found by playing the move.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from referee import IllegalMove, MoveError, Position
from referee.drawn_board import Scene
from referee.game import Drawable

TAKEN: Final = "@"
"""The sign before the place from which a move takes a tile."""

_PLACE: Final = r"-?\d+,-?\d+|[a-z]\d{1,2}"
_PART: Final = re.compile(rf"(?P<sign>[^a-z0-9-]*)(?P<place>{_PLACE})|[^a-z0-9]+|.")
_PART_OF_PLACE: Final = re.compile(r"-?\d+,-?\d+|[a-z]\d")

_NO_WORDS: Final[Mapping[str, str]] = {}
_MOVES_REORDERED: Final = 2000
"""The most moves of two actions that are offered in both orders; more would take too long."""

_MOVES_TRIED: Final = 200
"""The most moves among which a second action is looked for, to ask the rules for a reason."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a move."""

    text: str  # the characters of the move
    place: str = ""  # on the board; "" if the part has none
    word: str = ""  # what the sign or the letter means; "" for a place without one
    piece: str = ""  # the key of the piece that it puts on its place; "" for a part that puts none


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to make a legal move: its text, and its parts in the order in which they are chosen.

    ``becomes`` has what the piece of an action is at its end, by the number of the action, if it has changed:
    "" if it is gone. ``stands`` has what stands on other places that change.
    """

    text: str
    parts: tuple[Part, ...]
    becomes: Mapping[int, str] = field(default_factory=dict)
    stands: Mapping[str, str] = field(default_factory=dict)


def paths(move: str) -> list[list[str]]:
    """Return the places of each action of a move, in order. A comma before a place starts an action."""
    actions = ([part.place for part in action if part.place] for action in _actions(cut(move, ())))
    return [path for path in actions if path]


def _actions(parts: Iterable[Part]) -> list[list[Part]]:
    """Return the parts of each action."""
    actions: list[list[Part]] = [[]]
    for part in parts:
        if part.text.startswith(","):
            actions.append([])
        actions[-1].append(part)
    return actions


def choices(position: Position, names: Collection[str], words: Mapping[str, str] = _NO_WORDS) -> list[Choice]:
    """Return the ways to make each legal move of a position, on a board with places of these names."""
    texts = [str(move) for move in position.legal_moves()]
    bare = [text for text in texts if not _PART_OF_PLACE.search(text)]
    letters = len(bare) > 1 and len({*map(len, bare)}) == 1  # as in a set-up, `mmmhhh`
    scene = _scene(position)
    setup = () if scene is None else scene.setup
    ways = []
    pairs = sum("," in text for text in texts)
    for text in texts:
        parts = cut(text, names, words, letters=letters)
        if letters and len(parts) == len(setup) and text in bare:
            parts = tuple(replace(part, place=place) for part, place in zip(parts, setup, strict=True))
        choice = Choice(text, parts)
        if scene is not None and (after := _scene(position.play(position.parse_move(text)))) is not None:
            choice = _drawn(choice, scene, after)
        ways.append(choice)
        if pairs <= _MOVES_REORDERED:
            ways += _in_other_order(position, choice, words)
        if len(parts) == 3 and parts[2].text.startswith(TAKEN):  # the tile is chosen before the piece
            ways.append(replace(choice, parts=(parts[2], parts[1], parts[0])))
    return ways


def _scene(position: Position) -> Scene | None:
    """Return what stands on the board; None for a game that is shown as a text."""
    return position.scene() if isinstance(position, Drawable) else None


def _drawn(choice: Choice, before: Scene, after: Scene) -> Choice:
    """Return the choice with what a page cannot know of the board after the move."""
    parts = tuple(
        replace(part, piece=after.pieces.get(part.place, ""))
        if part.place not in part.text or part.text == choice.text
        else part
        for part in choice.parts
    )
    pieces = {**before.pieces, **{part.place: part.piece for part in parts if part.piece}}
    ends: dict[str, int] = {}
    for number, action in enumerate(_actions(parts)):
        path = [part.place for part in action if part.place and not _is_aside(part)]
        if len(path) > 1 and path[0] in pieces:
            pieces[path[-1]] = pieces.pop(path[0])
            ends[path[-1]] = number
    changed = {
        place: after.pieces.get(place, "")
        for place in pieces.keys() | after.pieces.keys()
        if pieces.get(place, "") != after.pieces.get(place, "")
    }
    becomes = {ends[place]: key for place, key in changed.items() if place in ends}
    stands = {place: key for place, key in changed.items() if place not in ends}
    return Choice(choice.text, parts, becomes, stands)


def _is_aside(part: Part) -> bool:
    """Whether the place of a part is not on the way of a piece."""
    return bool(part.piece) or part.text.startswith(TAKEN)


def cut(
    text: str, names: Collection[str], words: Mapping[str, str] = _NO_WORDS, *, letters: bool = False
) -> tuple[Part, ...]:
    """Return the parts of a move, whose texts joined are its text; a move may be the name of a place.

    ``letters`` is whether each letter of a move without a place is a part.
    """
    if text in names:
        return (Part(text, text),)
    if not _PART_OF_PLACE.search(text):
        return tuple(Part(letter, "", words.get(letter, letter)) for letter in (text if letters else [text]))
    parts = []
    for match in _PART.finditer(text):
        place, sign = match["place"] or "", match["sign"] or ""
        word = words.get(sign.lstrip(","), "") if place else words.get(match[0], match[0])
        parts.append(Part(match[0], place, word))
    return tuple(parts)


def _in_other_order(position: Position, choice: Choice, words: Mapping[str, str]) -> Iterator[Choice]:
    """Yield the same move with its two actions in the other order, if the rules allow that one, too."""
    first, comma, second = choice.text.partition(",")
    starts = [index for index, part in enumerate(choice.parts) if index and part.text.startswith(",")]
    if not comma or len(starts) != 1:
        return
    other = f"{second},{first}"
    try:
        move = position.parse_move(other)
    except MoveError:
        return
    if position.play(move) == position.play(position.parse_move(choice.text)):
        becomes = {1 - number: key for number, key in choice.becomes.items()}
        yield Choice(other, cut(other, (), words), becomes, choice.stands)


def why_not(
    position: Position, ways: Sequence[Choice], chosen: str, place: str, names: Collection[str]
) -> str:
    """Say in the words of the rules why a place cannot follow; "" if the rules have no words for it.

    ``ways`` are from `choices`, ``chosen`` has the joined texts of the chosen parts, ``names`` all places.
    """
    texts = [f"{chosen}{sign}{place}" for sign in _signs(ways, chosen)]
    seconds = {text[text.index(",") :] for text in (way.text for way in ways[:_MOVES_TRIED]) if "," in text}
    ends = ["", *sorted(seconds)[:1]]  # a move may need a second action
    if chosen or any(len(way.parts) == 1 for way in ways):
        for text in texts:
            for end in ends:
                if reason := _refusal(position, text + end):
                    return reason
    # The actions that could start at the place without the chosen one most often fail for the same reason.
    starts = {way.text.partition(",")[0] for way in ways if chosen and way.parts[0].place == place}
    found = [_refusal(position, f"{chosen},{action}") for action in sorted(starts)]
    if found and all(found):
        return Counter(found).most_common(1)[0][0]
    # A reason that is the same for all targets is about the place itself.
    targets = [f"{sign}{name}" for sign in _signs(ways, None) for name in names]
    for text in texts:
        found = [_refusal(position, text + target + end) for target in targets for end in ends]
        reasons = {*filter(None, found)}
        if len(reasons) == 1:
            return reasons.pop()
    for text in texts if chosen else ():
        if reason := _refusal(position, text, MoveError):
            return reason
    return ""


def _refusal(position: Position, text: str, kind: type[MoveError] = IllegalMove) -> str:
    """Return the reason why a text is not a move, if it is of a kind; otherwise ""."""
    try:
        position.parse_move(text)
    except kind as error:
        return str(error)
    except MoveError:
        pass
    return ""


def _signs(ways: Iterable[Choice], chosen: str | None) -> list[str]:
    """Return the signs before the places that follow the chosen parts; None is for any one part."""
    signs = set()
    for way in ways:
        text = ""
        for number, part in enumerate(way.parts):
            if part.place and (number == 1 if chosen is None else text == chosen):
                signs.add(part.text.removesuffix(part.place))
            text += part.text
    return sorted(signs) or [""]
