"""Schedules whose next games depend on results: each game id goes its own way, and they take turns."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

from arena.model import Stage
from arena.schedule.contest import Contest
from arena.schedule.state import Next, ScheduleState

__all__ = ["AdaptiveSchedule", "FormatRule"]

FormatRule = Callable[[Contest, ScheduleState], Iterator[Next]]
"""A format for one game id: as `Schedule.pending`."""


class AdaptiveSchedule:
    """A schedule of dynamic parts.

    Args:
        parts: the game ids.
        rule: the format.
        total: how many games there are in all; None when that is not known.
    """

    def __init__(self, parts: tuple[Contest, ...], rule: FormatRule, total: int | None) -> None:
        self._parts = parts
        self._rule = rule
        self.total = total

    def pending(self, state: ScheduleState) -> Iterator[Next]:
        """The games that are missing, as `Schedule` has it."""
        turns = deque(self._rule(part, state) for part in self._parts)
        waiting = 0
        while turns:
            games = turns.popleft()
            try:
                found = next(games)
                while isinstance(found, Stage):
                    yield found
                    found = next(games)
            except StopIteration:
                continue
            turns.append(games)
            if found is not None:
                waiting = 0
                yield found
                continue
            waiting += 1
            if waiting >= len(turns):
                waiting = 0
                yield None
