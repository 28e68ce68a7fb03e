"""Quotes the last lines to and from a failed engine, for error messages. It runs only after a failure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from textwrap import shorten

from protocol.hub.crash_text import crash_text
from protocol.printable import printable

__all__ = [
    "ASKED",
    "XBOARD_ANSWERS",
    "last_sent",
    "left_behind",
    "nearest",
    "said_before_its_end",
    "said_instead",
]

ASKED = {
    "ugiok": "ugi",
    "uciok": "uci",
    "uaiok": "uai",
    "readyok": "isready",
    "bestmove": "go",
    "feature": "protover 2",
    "pong": "ping",
    "move": "go",
}
"""The line, or its first word, that asks for each answer."""

XBOARD_ANSWERS = {"xboardok": "feature", "readyok": "pong", "bestmove": "move"}
"""The answer of CECP that replaces each answer of UGI."""

_WITH_WORDS = ("bestmove", "feature", "pong", "move")
"""The answers that are not alone on their lines."""

_REPLIES = ("ugiok", "readyok", "bestmove", "info", "id", "option", "protocol", "response")

_UNFINISHED_LENGTH = 60
"""The most characters of a quoted line."""

_SENT_LINES, _SENT_LENGTH = 3, 40
"""The number of sent lines that an error message quotes, and the most characters of each."""

_QUOTED_LINES = 3
_SIMILAR, _SHORTEST = 0.6, 3
"""The least similarity of two words, as `difflib` measures it, and the fewest letters of a compared word."""


def left_behind(unfinished: str, stderr: str = "") -> str:
    """Quote an unfinished last line and the cause in standard error; "" without both."""
    hint = f"; it printed {_quoted(unfinished)} without a newline" if unfinished else ""
    cause = crash_text(stderr)
    return hint + (f"; its standard error says: {cause}" if cause else "")


def last_sent(data: bytes) -> str:
    """Quote the last lines that were sent, shortened: an engine that ended was probably working on them."""
    lines = data.decode(errors="replace").splitlines()[-_SENT_LINES:]
    return ", ".join(f"'{shorten(line, _SENT_LENGTH, placeholder=' ...')}'" for line in lines)


def said_instead(expected: str, lines: Sequence[str]) -> str:
    """Quote what an engine said instead of an answer, and name the nearest word; "" without lines.

    Args:
        expected: the first word of the answer that did not come.
        lines: the last lines that were not answers, or came before the question.
    """
    lines = [line for line in lines if line.strip()]
    for line in reversed(lines):
        word, _, rest = line.strip().partition(" ")
        if word == expected and (expected in _WITH_WORDS or not rest):
            return f"; it said {_quoted(line)} before '{ASKED[expected]}', which is too early"
        if word == expected:
            return f"; it said {_quoted(line)}, but {expected} must be alone on its line"
        if not word.startswith(expected) and re.search(rf"(?<![a-z]){expected}\b", line):
            return f"; it said {_quoted(line)}, but the line must begin with {expected}"
        if nearest(word, _REPLIES) == expected or nearest(word, (expected,)):
            return f"; it said {_quoted(line)} instead of {expected}"
    if not lines:
        return ""
    similar = nearest(lines[-1].split()[0], _REPLIES)
    hint = f" (the nearest word of the protocol is {similar})" if similar else ""
    if expected == "ugiok" and not similar:
        hint = '; if it speaks UCI, set its key dialect to "uci"'
    return f"; it did not say {expected}, but {_excerpt(lines)}{hint}"


def said_before_its_end(lines: Sequence[str]) -> str:
    """Quote lines that are no answers: some languages print their errors to standard output."""
    lines = [line for line in lines if line.strip()]
    return f"; it had said {_excerpt(lines)}" if lines else ""


def nearest(word: str, known: Sequence[str]) -> str:
    """Return the known word that is most similar to ``word``; "" if none is similar enough."""
    letters = re.sub(r"[^a-z]", "", word[:_UNFINISHED_LENGTH].casefold())
    if len(letters) < _SHORTEST:
        return ""
    ratios = {other: SequenceMatcher(None, letters, other).ratio() for other in known}
    best = max(ratios, key=ratios.__getitem__)
    return best if ratios[best] >= _SIMILAR else ""


def _quoted(line: str) -> str:
    return repr(line.strip()[:_UNFINISHED_LENGTH])


def _excerpt(lines: Sequence[str]) -> str:
    if len(lines) <= _QUOTED_LINES:
        return ", ".join(map(_quoted, lines))
    return repr(printable(crash_text("\n".join(lines))))
