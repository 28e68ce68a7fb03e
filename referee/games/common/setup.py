"""Where a game may begin: set-ups with a name, seeded random ones, and any position string."""

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
    """The position that a game's ``start`` is asked for.

    Args:
        setup: a name, ``random:SEED`` or a position string; None for ``default``.
        named: the set-ups that have names; ``default`` is one of them.
        parse: reads a position string; every one has a space or a slash in it, no other set-up has.
        seeded: makes the random set-up of a seed, the same on every machine; None where there are none.

    Raises:
        PositionError: of the field ``setup``: there is no such set-up; of another: a damaged position string.
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
    offered = [*named, *(["random:SEED"] if seeded is not None else []), "a position string"]
    choices = f"{', '.join(offered[:-1])} or {offered[-1]}"
    raise PositionError("setup", f"{quoted(setup)} is no set-up of this game; there is {choices}")
