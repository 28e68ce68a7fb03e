"""Finds misspelt capabilities. Other unknown words are allowed, for later versions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

from protocol.wire.session import CAPABILITIES

__all__ = ["misspelt_capabilities"]

_SIMILAR = 0.75
"""The least similarity of a misspelt word, as `difflib` measures it."""


def misspelt_capabilities(announced: Iterable[str]) -> dict[str, str]:
    """Map each announced word that is no capability, but looks like one, to that capability."""
    return {
        word: close for word in announced if word not in CAPABILITIES and (close := _close(word.casefold()))
    }


def _close(word: str) -> str:
    """Return the capability that a word begins with, as ``legal_moves`` does, or resembles; "" for none."""
    first = re.split(r"[^a-z]", word)[0]
    if first in CAPABILITIES:
        return first
    return next(iter(get_close_matches(word, CAPABILITIES, 1, _SIMILAR)), "")
