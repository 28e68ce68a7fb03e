"""A match of two: pairs of games until a test has decided, or until there are enough."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from arena.config.outline import Sprt
from arena.model import Pairing
from arena.ratings.match_statistics import SequentialTest
from arena.schedule.contest import Part
from arena.schedule.seating import duel
from arena.schedule.state import State

__all__ = ["pending"]


def pending(
    part: Part, state: State, *, sprt: Sprt | None, max_games: int | None
) -> Iterator[Pairing | None]:
    """The games of the match. A test has no use for games that are decided without being played."""
    test = SequentialTest(sprt, part.entrants) if sprt is not None else None
    for index in count() if max_games is None else range(max_games):
        seating = duel(0, 1, index)
        key = part.entrants.key(seating)
        if key in state:
            continue
        if test is not None:
            hopeless = set(part.entrants.names).intersection(state.disabled)
            verdict = test.read(state.results)
            state.stages[part.entrants.game] = f"LLR {verdict.llr:.2f} after {verdict.pairs} pairs"
            if hopeless or verdict.accepted is not None:
                return
        yield part.pairing(index, key, seating)
