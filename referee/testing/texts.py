"""Strange texts for tests of the rules of a game, and checks of texts."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import Final

__all__ = ["STRANGE", "are_lines", "huge", "is_line", "is_word", "mutated", "quote", "shortened"]

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
"""Texts that are neither moves nor positions in most games. A game must list such a text if it is a move."""

_MAX_QUOTED = 1000


def mutated(texts: Sequence[str], more: str, count: int, rng: random.Random) -> Iterator[str]:
    """Yield ``count`` mutated texts: random texts with a few characters replaced, removed or inserted.

    Args:
        texts: the texts to mutate, whose characters are also inserted.
        more: more characters to insert.
        count: how many mutated texts to yield.
        rng: makes the random choices.
    """
    letters = sorted({*more, *"".join(texts)})
    for _ in range(count if texts else 0):
        text = rng.choice(texts)
        for _ in range(rng.randint(1, 3)):
            place = rng.randint(0, len(text))
            new = "".join(rng.choices(letters, k=rng.randint(0, 2)))
            text = text[:place] + new + text[place + rng.randint(0, 2) :]
        yield text


def huge(text: str) -> str:
    """Return the text with its first number replaced by one too long for `int`."""
    return re.sub(r"[0-9]+", "9" * 5000, text, count=1)


def is_line(text: object, *, empty: bool = False) -> bool:
    """Return whether ``text`` is a printable string without line breaks."""
    return isinstance(text, str) and text.isprintable() and (empty or bool(text.strip()))


def is_word(text: object) -> bool:
    """Return whether ``text`` is a printable string without spaces."""
    return isinstance(text, str) and text.isprintable() and text != "" and " " not in text


def are_lines(texts: object) -> bool:
    """Return whether ``texts`` is a tuple of printable lines."""
    return isinstance(texts, tuple) and all(map(is_line, texts))


def shortened(text: str) -> str:
    """Return the text, cut if it is very long."""
    return text if len(text) <= _MAX_QUOTED else f"{text[:_MAX_QUOTED]}... ({len(text)} characters)"


def quote(text: str) -> str:
    """Return the text for a message: printable, in quotation marks, and cut if it is very long."""
    return shortened(ascii(text))
