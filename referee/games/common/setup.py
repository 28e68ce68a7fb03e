"""Finds the start position for a set-up: a name, a random seed or a position string."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeVar

from referee.errors import PositionError
from referee.games.common.notation import quoted

__all__ = ["begin"]

P = TypeVar("P")

_SEED = re.compile(r"0|[1-9][0-9]{0,17}")


def begin(
    setup: str | None,
    named: Mapping[str, P],
    parse: Callable[[str], P],
    seeded: Callable[[int], P] | None = None,
) -> P:
    """The start position for a set-up.

    Args:
        setup: a name, ``random:SEED`` or a position string; None for ``default``.
        named: the start positions with names, by name; ``default`` is one of them.
        parse: reads a position string. Position strings contain a space or a slash; other set-ups do not.
        seeded: returns the random start position of a seed, the same on every machine; None if the game has
            no random set-ups.

    Raises:
        PositionError: the game has no such set-up, and `field` is ``setup``; or the position string is
            damaged.
    """
    if setup is None:
        return named["default"]
    if setup in named:
        return named[setup]
    if " " in setup or "/" in setup:
        return parse(setup)
    word, colon, seed = setup.partition(":")
    if seeded is not None and word == "random" and colon:
        if not _SEED.fullmatch(seed):
            raise PositionError("setup", f"{quoted(seed)} is no seed; a seed is a number from 0")
        return seeded(int(seed))
    forms = [*named, *(["random:SEED"] if seeded is not None else []), "a position string"]
    choices = f"{', '.join(forms[:-1])} or {forms[-1]}"
    raise PositionError("setup", f"{quoted(setup)} is no set-up of this game: use {choices}")
