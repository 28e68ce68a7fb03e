"""Match of two engines: pairs of games until a sequential test decides or a number of games is reached."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count

from arena.config import Sprt
from arena.config.pairing_plan import TestUnit
from arena.ended_games import EndedGame
from arena.formats.contest import Contest, Entrants, Next, ScheduleState, duel
from arena.model import Stage
from arena.ratings.sprt import GAMES, Counts, SprtStatus, count_points, llr
from protocol.plurals import counted
from referee.outcome import Termination


def pending(
    contest: Contest, state: ScheduleState, *, sprt: Sprt | None, max_games: int | None
) -> Iterator[Next]:
    """Yield the games of the match.

    A match with a test ends when an engine is disabled, because the test needs games that are played.
    """
    test = None if sprt is None else SequentialTest(sprt, contest.entrants)
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
            text = f"LLR {status.llr:.2f} after {counted(status.units, test.unit)}"
            if text != announced:
                announced = text
                yield Stage(contest.entrants.game, text)
            if disabled or status.accepted is not None:
                return
        yield contest.pairing(index, key, seating)


class SequentialTest:
    """A sequential test over pairs of games, or over single games, in the order of the schedule.

    The first pair that decides the test ends it. So the result does not depend on the order in which
    concurrent games end, and games that end after the decision do not change it.

    Attributes:
        unit: what the test counts.
        status: the state of the test after all pairs (or games) that were counted.
        counts: the numbers of these pairs by the points of the first engine.
    """

    def __init__(self, sprt: Sprt, entrants: Entrants) -> None:
        self._sprt = sprt
        self._entrants = entrants
        self._units_read = 0
        self.unit: TestUnit = sprt.unit
        self.counts: Counts = count_points([], self.unit)
        self.status = SprtStatus(0.0, 0, None)

    def count(self, results: Mapping[str, EndedGame]) -> None:
        """Count the pairs that were completed since the last call. Stop after the pair that decides the test.

        Args:
            results: all results by key, including the results of earlier calls.
        """
        low, high = self._sprt.bounds
        for points in unit_points(self._entrants, results, self._units_read, self.unit):
            if self.status.accepted is not None:
                return
            self._units_read += 1
            if points is not None:
                place = round(2 * points)
                self.counts = (*self.counts[:place], self.counts[place] + 1, *self.counts[place + 1 :])
                ratio = llr(self._sprt, self.counts)
                accepted = "elo1" if ratio >= high else "elo0" if ratio <= low else None
                self.status = SprtStatus(ratio, sum(self.counts), accepted)


def unit_points(
    entrants: Entrants, results: Mapping[str, EndedGame], begin: int = 0, unit: TestUnit = "pair"
) -> Iterator[float | None]:
    """Yield the first engine's points in each pair from number ``begin`` to the first incomplete pair.

    A pair gives None if one of its games was lost by a disabled engine without being played: such a game says
    nothing about strength.

    Args:
        entrants: the two engines.
        results: the results by key.
        begin: the number of the first pair.
        unit: ``game`` to yield the points in single games instead.
    """
    games = GAMES[unit]
    for number in count(begin):
        points: float | None = 0.0
        for index in range(games * number, games * (number + 1)):
            seating = duel(0, 1, index)
            result = results.get(entrants.key(seating))
            if result is None:
                return
            if points is None or result.termination is Termination.DISABLED:
                points = None
            else:
                points += result.players[seating.seats.index(0)].points
        yield points
