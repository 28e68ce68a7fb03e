"""Schedules that do not depend on results.

They generate their games one by one and keep no list of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from arena.model import Pairing
from arena.schedule.contest import Contest
from arena.schedule.seating import Seating
from arena.schedule.state import ScheduleState

__all__ = ["StaticContest", "StaticSchedule"]


@dataclass(frozen=True, slots=True)
class StaticContest:
    """The games of one game id, which are known from the start.

    Attributes:
        contest: the game id with its entrants and openings.
        seatings: returns a new iterator over the seatings of all games, in order.
    """

    contest: Contest
    seatings: Callable[[], Iterator[Seating]]


class StaticSchedule:
    """A schedule that finishes the games of one game id before it begins those of the next.

    Args:
        contests: the games of each id.
        total: the number of games; None when it takes too long to count them.
    """

    def __init__(self, contests: tuple[StaticContest, ...], total: int | None) -> None:
        self._contests = contests
        self.total = total

    def pending(self, state: ScheduleState) -> Iterator[Pairing]:
        """Yield the missing games, see `Schedule.pending`. It never yields None or a stage."""
        number = -1
        for games in self._contests:
            for seating in games.seatings():
                number += 1
                key = games.contest.entrants.key(seating)
                if key not in state:
                    yield games.contest.pairing(number, key, seating)
