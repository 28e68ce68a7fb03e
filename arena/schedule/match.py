"""A match of two: pairs of games until a test has decided, or until there are enough."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count

from arena.config import Sprt
from arena.model import Stage
from arena.ratings.match_statistics import VALUES, SprtStatus, llr
from arena.schedule.contest import Contest
from arena.schedule.seating import Entrants, duel
from arena.schedule.state import Next, ScheduleState
from arena.scoring import EndedGame
from protocol.plurals import counted
from referee.outcome import Termination

__all__ = ["SequentialTest", "pair_points", "pending"]


def pending(
    part: Contest, state: ScheduleState, *, sprt: Sprt | None, max_games: int | None
) -> Iterator[Next]:
    """The games of the match. A test has no use for games that are decided without being played."""
    test = SequentialTest(sprt, part.entrants) if sprt is not None else None
    told = ""
    for index in count() if max_games is None else range(max_games):
        seating = duel(0, 1, index)
        key = part.entrants.key(seating)
        if key in state:
            continue
        if test is not None:
            hopeless = not set(part.entrants.names).isdisjoint(state.disabled)
            test.count(state.results)
            verdict = test.verdict
            text = f"LLR {verdict.llr:.2f} after {counted(verdict.pairs, 'pair')}"
            if text != told:
                told = text
                yield Stage(part.entrants.game, text)
            if hopeless or verdict.accepted is not None:
                return
        yield part.pairing(index, key, seating)


class SequentialTest:
    """A test over pairs in the order of the schedule; it ends for good with the pair that decides it.

    So the verdict does not depend on which of several games at once came to its end first, and what was
    still running when it fell does not change it.

    Attributes:
        verdict: where it stands after all pairs that were counted.
    """

    def __init__(self, sprt: Sprt, entrants: Entrants) -> None:
        self._sprt = sprt
        self._entrants = entrants
        self._counts = [0] * len(VALUES)
        self._read = 0
        self.verdict = SprtStatus(0.0, 0, None)

    def count(self, results: Mapping[str, EndedGame]) -> None:
        """Count the pairs that have become complete since the last call, up to the one that decides.

        Args:
            results: all of them, by key; those of an earlier call are still among them.
        """
        low, high = self._sprt.bounds
        for points in pair_points(self._entrants, results, self._read):
            if self.verdict.accepted is not None:
                return
            self._read += 1
            if points is not None:
                self._counts[round(2 * points)] += 1
                ratio = llr(self._sprt, self._counts)
                accepted = "elo1" if ratio >= high else "elo0" if ratio <= low else None
                self.verdict = SprtStatus(ratio, sum(self._counts), accepted)


def pair_points(
    entrants: Entrants, results: Mapping[str, EndedGame], begin: int = 0
) -> Iterator[float | None]:
    """The first engine's points in each pair from number ``begin``, up to the first that is not complete.

    None is for a pair of which a game was decided without being played: that says nothing about strength.
    """
    for pair in count(begin):
        points: float | None = 0.0
        for index in (2 * pair, 2 * pair + 1):
            seating = duel(0, 1, index)
            result = results.get(entrants.key(seating))
            if result is None:
                return
            if points is None or result.termination is Termination.DISABLED:
                points = None
            else:
                points += result.players[seating.seats.index(0)].points
        yield points
