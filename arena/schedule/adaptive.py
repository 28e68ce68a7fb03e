"""Schedules whose next games depend on results.

The games of each game id have a schedule of their own. The schedules take turns.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

from arena.model import Stage
from arena.schedule.contest import Contest
from arena.schedule.state import Next, ScheduleState

__all__ = ["AdaptiveSchedule", "FormatRule"]

FormatRule = Callable[[Contest, ScheduleState], Iterator[Next]]
"""A format, applied to one game id. It yields what `Schedule.pending` yields."""


class AdaptiveSchedule:
    """A schedule that takes the next game of each game id in turn.

    Args:
        contests: one for each game id.
        rule: the format.
        total: the number of games; None when it is not known.
    """

    def __init__(self, contests: tuple[Contest, ...], rule: FormatRule, total: int | None) -> None:
        self._contests = contests
        self._rule = rule
        self.total = total

    def pending(self, state: ScheduleState) -> Iterator[Next]:
        """Yield the missing games, see `Schedule.pending`."""
        queue = deque(self._rule(contest, state) for contest in self._contests)
        waiting = 0
        while queue:
            games = queue.popleft()
            try:
                item = next(games)
                while isinstance(item, Stage):
                    yield item
                    item = next(games)
            except StopIteration:
                continue
            queue.append(games)
            if item is not None:
                waiting = 0
                yield item
                continue
            waiting += 1
            if waiting >= len(queue):
                waiting = 0
                yield None
