"""How a bot writes the moves of one game: what it is told, and which move its answer means."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from string import ascii_lowercase, ascii_uppercase
from typing import Any, Final

from referee.drawn_board import Grooves, square_names
from referee.game import GameInfo

Pairs = Sequence[tuple[str, str]]
"""Patterns, each with what replaces a text that fits it."""

PARTS: Final = ("letter", "LETTER", "go", "column", "row", "down")
"""The names in a template for squares."""
PART: Final = re.compile(r"\{(\w+)(\*\d+)?([+-]\d+)?\}")  # a name, a factor, and a number to add
LONGEST: Final = 1000  # characters of an answer that are looked at

_GO: Final = "ABCDEFGHJKLMNOPQRSTUVWXYZ?"  # the letters of columns in GTP
_LETTERS: Final = {"letter": ascii_lowercase, "LETTER": ascii_uppercase, "go": _GO}
_SQUARE: Final = re.compile("([a-z])([1-9][0-9]?)")
_EXAMPLES: Final = 3  # spellings that a refusal names


def written(answer: Any) -> str:  # noqa: ANN401 - a bot returns what it likes
    """Write an answer as a text: items of lists with spaces between them, objects sorted by their keys."""
    if hasattr(answer, "tolist"):  # numpy
        answer = answer.tolist()
    if isinstance(answer, Mapping):
        return " ".join(f"{key} {written(answer[key])}" for key in sorted(answer, key=str))
    if isinstance(answer, list | tuple):
        return " ".join(map(written, answer))
    return str(answer)


def replacements(text: str, pairs: Pairs) -> list[str]:
    """Return what each pattern that fits the whole text makes of it; the text alone if none fits."""
    fitting = [(pattern, new) for pattern, new in pairs if re.fullmatch(pattern, text)]
    return [re.sub(rf"\A(?:{pattern})\Z", new, text) for pattern, new in fitting] or [text]


class Spelling:
    """The spellings of the moves of a game, of which the first one is what the bot is told."""

    def __init__(self, squares: Pairs, moves: Pairs, info: GameInfo, *, case: bool = False) -> None:
        self._squares, self._moves, self._case = squares, moves, case
        self._rows: int = getattr(info.drawn, "rows", 0)
        self._known: dict[str, list[str]] = {}  # the spellings of each move that the bot can name
        self._meanings: dict[tuple[str, ...], set[str]] = {}
        if isinstance(board := info.drawn, Grooves):
            places = list(square_names(board.columns, board.rows))
            walls = [wall for place in places for sign in "hv" if board.has_wall(wall := place + sign)]
            self.learn([*places, *walls])

    def learn(self, moves: Iterable[str]) -> None:
        """Add moves that an answer can mean."""
        for move in moves:
            if move not in self._known:
                self._known[move] = self.spellings(move)
                for text in self._known[move]:
                    self._meanings.setdefault(self._parts(text), set()).add(move)

    def spellings(self, move: str) -> list[str]:
        """Return all texts that mean this move."""
        if move in self._known:
            return self._known[move]
        return [text for squares in self._with_squares(move) for text in replacements(squares, self._moves)]

    def told(self, move: str) -> str:
        """Return a move as the bot is told it."""
        return self.spellings(move)[0]

    def place(self, place: str) -> str:
        """Return a square or a wall as the bot is told it: without what replaces a whole move."""
        return self._with_squares(place)[0]

    def meanings(self, answer: object) -> set[str]:
        """Return the moves that an answer means; no move if no spelling reads it."""
        text = written(answer)[:LONGEST]
        meanings = self._meanings.get(self._parts(text), set())
        return meanings or self._meanings.get(self._parts(written(_value(text))), set())

    def passed_on(self, text: str) -> str:
        """Return the word that says to the referee what the bot said, and never another move.

        In the notation of arena, it is the text. Otherwise it is no move, and has examples of the spellings.
        """
        if not (self._squares or self._moves):
            text = re.sub(r"(?<!\d)\s+|\s+(?!\d)", "", text if self._case else text.casefold())
            return "_".join(text.split()) or "none"
        known = list(self._known)
        examples = [self.told(move) for move in known[:: max(1, len(known) // _EXAMPLES)]]
        return "_".join(f"{text} (unread; moves are such as {', '.join(examples[:_EXAMPLES])})".split())

    def _parts(self, text: str) -> tuple[str, ...]:
        """Return what counts in a text: each number and each other character, but no white space."""
        return tuple(re.findall(r"\d+|\S", text if self._case else text.casefold()))

    def _with_squares(self, move: str) -> list[str]:
        """Write the squares of a move in each way for which there is a template."""
        fitting = [template for pattern, template in self._squares if re.fullmatch(pattern, move)]
        return [_SQUARE.sub(partial(self._square, template), move) for template in fitting] or [move]

    def _square(self, template: str, name: re.Match[str]) -> str:
        column, row = ord(name[1]) - ord("a"), int(name[2])
        numbers = {"column": column + 1, "row": row, "down": self._rows + 1 - row}

        def part(match: re.Match[str]) -> str:
            factor, add = int((match[2] or "*1")[1:]), int(match[3] or 0)
            if match[1] in _LETTERS:
                return _LETTERS[match[1]][column * factor + add]
            return str(numbers[match[1]] * factor + add)

        return PART.sub(part, template)


def _value(text: str) -> Any:  # noqa: ANN401 - as above
    """Return the list or the object that a text in brackets stands for, or the text."""
    if text.lstrip()[:1] in ("(", "[", "{"):
        try:
            return ast.literal_eval(text.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            pass
    return text
