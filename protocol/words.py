"""Words for people: text that is safe to show, a number with its noun, the name that was meant."""

from __future__ import annotations

import os
from collections.abc import Iterable


def printable(text: str, *, keep: str = "") -> str:
    """Replace each character that is not printable by ``?``, except the characters in ``keep``."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in keep else "?" for char in text)


def for_system(text: str) -> bool:
    """Return whether a text can be a path, an argument of a program, or a variable of the environment.

    A null character cannot, nor can half a character that is no byte of a path (``surrogateescape``).
    """
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def cut(text: str, longest: int = 80) -> str:
    """Cut a long text at its end, usually one that a message quotes."""
    return text if len(text) <= longest else f"{text[:longest]}…"


def shortened(text: str, longest: int) -> str:
    """Cut a long text in its middle: a message starts with the place of an error, and ends with advice."""
    return text if len(text) <= longest else f"{text[: longest // 2]} … {text[-longest // 2 :]}"


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return for example ``1 game``, ``2 games`` or ``2 plies``; the plural has an s unless it is given."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {plural or noun + 's'}"


def percent(share: float) -> str:
    """Return a share in whole percent, as all tables and pages write it: ``67 %``."""
    return f"{100 * share:.0f} %"


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """The end of a message about an unknown word: the name that it almost is; "" if it is none.

    A name is near if one mistake leads to it, or one mistake for each four characters: a character too many,
    missing or wrong, or two neighbours exchanged.
    """
    near = nearest(word, names)
    return f"; did you mean {near}?" if near else ""


def nearest(word: str, names: Iterable[str]) -> str:
    """The name that an unknown word almost is, as `did_you_mean` puts it; "" if it is none."""
    mistakes = {name: _mistakes(_plain(word), _plain(name)) for name in names}
    near = min(mistakes, key=lambda name: mistakes[name], default="")
    return near if near and mistakes[near] <= max(1, len(word) // 4) else ""


def _plain(word: str) -> str:
    return word.lower().replace("-", "_")


def _mistakes(word: str, name: str) -> int:
    """The fewest mistakes that make one word of another, at least the difference of their lengths."""
    if abs(len(word) - len(name)) > len(name):  # far away, and perhaps endless
        return len(word)
    before: list[int] = []
    row = list(range(len(name) + 1))
    for number, letter in enumerate(word, 1):
        last, before, row = before, row, [number]
        for place, other in enumerate(name, 1):
            fewest = min(before[place] + 1, row[-1] + 1, before[place - 1] + (letter != other))
            if last and place > 1 and word[number - 2] == other and name[place - 2] == letter:
                fewest = min(fewest, last[place - 2] + 1)
            row.append(fewest)
    return row[-1]
