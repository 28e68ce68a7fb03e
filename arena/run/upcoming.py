"""The next games of the schedule, as a run takes them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

import trio

from arena.config import TournamentSpec
from arena.errors import OpeningError
from arena.formats.contest import Next, ScheduleState
from arena.formats.schedule import schedule
from arena.model import Pairing, Stage

__all__ = ["CallSchedule", "Upcoming", "in_thread"]

CallSchedule = Callable[[Callable[[], Next]], Awaitable[Next]]
"""Calls the schedule for its next game. This may take long, for example when the schedule pairs a round or
looks for an opening."""

_END: Final = Stage("", "")
"""Stands for the end of the schedule."""


async def in_thread(step: Callable[[], Next]) -> Next:
    """Call the schedule in a thread, which is abandoned if the user stops the run."""
    return await trio.to_thread.run_sync(step, abandon_on_cancel=True)


class Upcoming:
    """The games that the schedule still wants.

    Args:
        spec: the tournament.
        state: the state of its games, which the schedule reads.
        call_schedule: as in `CallSchedule`.
        observe: called with each stage that the schedule yields.

    Attributes:
        refused: the error of an opening that has ended the schedule; None if there is none.
    """

    def __init__(
        self,
        spec: TournamentSpec,
        state: ScheduleState,
        call_schedule: CallSchedule,
        observe: Callable[[Stage], None],
    ) -> None:
        self._state = state
        self._call_schedule = call_schedule
        self._observe = observe
        self._scheduling = trio.CancelScope()
        self._stopped = False
        self.change(spec)

    def change(self, spec: TournamentSpec) -> None:
        """Ask the schedule of the changed tournament from now on."""
        self._spec = spec
        self._pending = schedule(spec).pending(self._state)
        self._ended = False
        self.refused: OpeningError | None = None

    async def next(self) -> Pairing | None:
        """Return the next game; None if there is none now, or if `stop` was called."""
        pending = self._pending
        with trio.CancelScope() as self._scheduling:
            if self._stopped:
                return None
            try:
                while isinstance(item := await self._call_schedule(lambda: next(pending, _END)), Stage):
                    if item is _END:
                        self._ended = True
                        return None
                    self._observe(item)
            except OpeningError as error:  # this has ended the schedule: from now on it yields nothing
                self.refused = error
                return None
            return item
        return None  # the user has stopped the run

    def stop(self) -> None:
        """Return no more games, and stop waiting for one."""
        self._stopped = True
        self._scheduling.cancel()

    @property
    def decided(self) -> bool:
        """Whether a test has ended a match before its last game."""
        known = len(self._state.results) + len(self._state.running)
        most = self._spec.max_games
        fewer = most is None or known < most * len(self._spec.games)
        return self._ended and self._spec.sprt is not None and fewer
