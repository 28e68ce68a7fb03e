"""Texts that a game's rules are tried with, and what a text must be to be shown or sent."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import Final

__all__ = ["STRANGE", "are_lines", "huge", "is_line", "is_word", "mutated", "shorter", "shown"]

STRANGE: Final = (
    "",
    " ",
    "zzz",
    "0000",
    "resign",
    "!1",
    "\x1b[2J",
    "a\nb",
    "\u0661",
    "\ud800",
    "z" * 10_000,
    "9" * 10_000,
)
"""No moves and no positions of most games; a game to which one of them is a move must list it."""

_LONGEST_SHOWN = 1000


def mutated(texts: Sequence[str], more: str, count: int, rng: random.Random) -> Iterator[str]:
    """``count`` of the texts with a few characters changed, into others of theirs or some of ``more``."""
    letters = sorted({*more, *"".join(texts)})
    for _ in range(count if texts else 0):
        text = rng.choice(texts)
        for _ in range(rng.randint(1, 3)):
            place = rng.randint(0, len(text))
            new = "".join(rng.choices(letters, k=rng.randint(0, 2)))
            text = text[:place] + new + text[place + rng.randint(0, 2) :]
        yield text


def huge(text: str) -> str:
    """The text with a number that Python refuses to read."""
    return re.sub(r"[0-9]+", "9" * 5000, text, count=1)


def is_line(text: object, *, empty: bool = False) -> bool:
    """Whether it is a text that takes one line of a terminal and no more."""
    return isinstance(text, str) and text.isprintable() and (empty or bool(text.strip()))


def is_word(text: object) -> bool:
    """Whether it is a text that stays whole when a line is split at its spaces."""
    return isinstance(text, str) and text.isprintable() and text != "" and " " not in text


def are_lines(texts: object) -> bool:
    """Whether it is a tuple of lines."""
    return isinstance(texts, tuple) and all(map(is_line, texts))


def shorter(text: str) -> str:
    """The text, cut when it is very long."""
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}... ({len(text)} characters)"


def shown(text: str) -> str:
    """The text for a message: printable, in quotation marks, cut when it is very long."""
    return shorter(ascii(text))
