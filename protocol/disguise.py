"""Other names for squares, pieces, walls and numbers, so that no engine knows a game from its reading."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from random import Random
from string import ascii_lowercase as letters
from string import ascii_uppercase as capitals
from string import digits

from protocol.wire.codec import NO_MOVE, RESIGN, is_removal

OPTION = "Disguise"
"""An engine with this option hears of its disguise, and can read rules that fit."""

MAX_SEED = 2**31 - 1
"""The largest seed."""

_EXAMPLES = re.compile(r"^```.*?^```\n+", re.DOTALL | re.MULTILINE)
"""Matches the examples of a page. They are output of commands, in plain notation and prose."""

_NOTATION = re.compile(
    r"`(?![a-z]{4,}`)[^`\n]+`|`pass`|`[mh]{6}`"  # other words in code belong to no game
    r"|(?<![\w.-])[a-i][1-9](?![\w.-])|(?<=\brow )\d\b|(?<=\brank )\d\b|(?<=\bcolumn )[a-i]\b"
)
"""Matches the parts of a page about a game that are written in its notation."""


@dataclass(frozen=True, slots=True)
class Disguise:
    """A permutation of the letters and of the digits in moves and positions; both are one to one.

    A capital keeps being a capital, because a case has a meaning in a position. Equal seeds give equal names.
    """

    seed: int
    _hidden: dict[int, int] = field(init=False, repr=False, compare=False)
    _plain: dict[int, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        random = Random(self.seed)
        others = "".join(random.sample(letters, 26))
        numerals = "".join(random.sample(digits, 10))
        names = letters + capitals + digits, others + others.upper() + numerals
        object.__setattr__(self, "_hidden", str.maketrans(*names))
        object.__setattr__(self, "_plain", str.maketrans(*reversed(names)))

    def hide(self, text: str) -> str:
        """Disguise a move or a position. A removal such as ``!3`` is neither."""
        return text if is_removal(text) else text.translate(self._hidden)

    def show(self, text: str) -> str:
        """Return the plain text of a disguised move or position, and a removal as it is."""
        return text if is_removal(text) else text.translate(self._plain)

    def answer(self, text: str) -> str:
        """Return the plain text of an engine's answer. To resign, or to have no move, keeps its word."""
        return text if text == RESIGN or text in NO_MOVE else self.show(text)

    def rules(self, page: str, *names: str) -> str:
        """Return a page about a game for a disguised engine: no examples, and none of its ``names``."""
        page = _NOTATION.sub(lambda notation: self.hide(notation[0]), _EXAMPLES.sub("", page))
        for name in names:
            page = re.sub(
                rf"(?:\bthe )?(?<!\w){re.escape(name)}(?!\w)", "the game", page, flags=re.IGNORECASE
            )
        return (
            "Squares, pieces, walls and numbers have other names in moves, positions and these rules.\n"
            f"The letters, in the order of columns from the left: {' '.join(self.hide(letters))}.\n"
            f"The digits, in the order from zero: {' '.join(self.hide(digits))}.\n\n{page}"
        )
