"""Schedules that know all their games from the beginning: nothing is built, nothing is looked at twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from arena.model import Pairing
from arena.schedule.contest import Contest
from arena.schedule.seating import Seating
from arena.schedule.state import ScheduleState

__all__ = ["StaticContest", "StaticSchedule"]


@dataclass(frozen=True, slots=True)
class StaticContest:
    """One game's share.

    Attributes:
        part: the game.
        total: how many times it is played; None when that takes long to tell.
        seatings: all of them in order, anew with every call.
    """

    part: Contest
    total: int | None
    seatings: Callable[[], Iterator[Seating]]


class StaticSchedule:
    """A schedule of games that are played one id after the other."""

    def __init__(self, parts: tuple[StaticContest, ...]) -> None:
        self._parts = parts

    @cached_property
    def total(self) -> int | None:
        """How many games there are in all; None when that takes long to tell."""
        totals = [part.total for part in self._parts]
        return None if None in totals else sum(total for total in totals if total is not None)

    def pending(self, state: ScheduleState) -> Iterator[Pairing]:
        """The games that are missing, as `Schedule` has it; it never waits."""
        number = -1
        for fixed in self._parts:
            for seating in fixed.seatings():
                number += 1
                key = fixed.part.entrants.key(seating)
                if key not in state:
                    yield fixed.part.pairing(number, key, seating)
