"""Match of two engines: pairs of games until a sequential test decides or a number of games is reached."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count

from arena.config import Sprt
from arena.ended_games import EndedGame
from arena.model import Stage
from arena.ratings.match_statistics import VALUES, SprtStatus, llr
from arena.schedule.contest import Contest
from arena.schedule.seating import Entrants, duel
from arena.schedule.state import Next, ScheduleState
from protocol.plurals import counted
from referee.outcome import Termination

__all__ = ["SequentialTest", "pair_points", "pending"]


def pending(
    contest: Contest, state: ScheduleState, *, sprt: Sprt | None, max_games: int | None
) -> Iterator[Next]:
    """Yield the games of the match.

    A match with a test ends when an engine is disabled, because the test needs games that are played.
    """
    test = SequentialTest(sprt, contest.entrants) if sprt is not None else None
    announced = ""
    for index in count() if max_games is None else range(max_games):
        seating = duel(0, 1, index)
        key = contest.entrants.key(seating)
        if key in state:
            continue
        if test is not None:
            disabled = not set(contest.entrants.names).isdisjoint(state.disabled)
            test.count(state.results)
            status = test.status
            text = f"LLR {status.llr:.2f} after {counted(status.pairs, 'pair')}"
            if text != announced:
                announced = text
                yield Stage(contest.entrants.game, text)
            if disabled or status.accepted is not None:
                return
        yield contest.pairing(index, key, seating)


class SequentialTest:
    """A sequential test over pairs of games, in the order of the schedule.

    The first pair that decides the test ends it. So the result does not depend on the order in which
    concurrent games end, and games that end after the decision do not change it.

    Attributes:
        status: the state of the test after all pairs that were counted.
    """

    def __init__(self, sprt: Sprt, entrants: Entrants) -> None:
        self._sprt = sprt
        self._entrants = entrants
        self._counts = [0] * len(VALUES)
        self._pairs_read = 0
        self.status = SprtStatus(0.0, 0, None)

    def count(self, results: Mapping[str, EndedGame]) -> None:
        """Count the pairs that were completed since the last call. Stop after the pair that decides the test.

        Args:
            results: all results by key, including the results of earlier calls.
        """
        low, high = self._sprt.bounds
        for points in pair_points(self._entrants, results, self._pairs_read):
            if self.status.accepted is not None:
                return
            self._pairs_read += 1
            if points is not None:
                self._counts[round(2 * points)] += 1
                ratio = llr(self._sprt, self._counts)
                accepted = "elo1" if ratio >= high else "elo0" if ratio <= low else None
                self.status = SprtStatus(ratio, sum(self._counts), accepted)


def pair_points(
    entrants: Entrants, results: Mapping[str, EndedGame], begin: int = 0
) -> Iterator[float | None]:
    """Yield the first engine's points in each pair from number ``begin`` to the first incomplete pair.

    A pair gives None if one of its games was lost by a disabled engine without being played: such a game says
    nothing about strength.
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
