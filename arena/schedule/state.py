"""The state of a tournament, as a schedule sees it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from arena.ended_games import EndedGame
from arena.model import Pairing, Stage

if TYPE_CHECKING:
    from arena.ratings.settings import RatingSettings

__all__ = ["Next", "ScheduleState"]

Next = Pairing | Stage | None
"""The items that a schedule yields; see `Schedule.pending`."""


@dataclass(slots=True)
class ScheduleState:
    """The results and the running games of a tournament. The runner keeps it up to date.

    Attributes:
        results: the games that count, by key, in the order in which they ended.
        running: the games that are being played, by key.
        skipped: the keys of games that are not played in this run because one of their engines is disabled.
        disabled: the engines that are disabled now, in the order in which they were disabled.
        stored: the keys of stored games that count, if the schedule does not need their results.
        models: the settings of the rating lists, by game id. A missing id has the default settings.
    """

    results: dict[str, EndedGame] = field(default_factory=dict)
    running: dict[str, Pairing] = field(default_factory=dict)
    skipped: set[str] = field(default_factory=set)
    disabled: list[str] = field(default_factory=list)
    stored: frozenset[str] = frozenset()
    models: Mapping[str, RatingSettings] = field(default_factory=dict)

    @classmethod
    def of(cls, results: Iterable[EndedGame]) -> Self:
        """The state before a run, from all stored results. Void games are left out."""
        return cls({result.key: result for result in results if result.counts})

    def __contains__(self, key: object) -> bool:
        """Whether the game with this key needs no start: it has a result, is running, or is skipped."""
        return key in self.stored or key in self.results or key in self.running or key in self.skipped
