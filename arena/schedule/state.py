"""What a schedule goes by while a tournament runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from arena.model import Pairing, Stage
from arena.scoring import EndedGame

if TYPE_CHECKING:
    from arena.ratings.settings import RatingSettings

__all__ = ["Next", "ScheduleState"]

Next = Pairing | Stage | None
"""What a schedule answers when it is asked what comes next; see `Schedule.pending`."""


@dataclass(slots=True)
class ScheduleState:
    """What has become of a tournament's games; kept up to date by whoever has them played.

    Attributes:
        results: of the games that count, by key, in the order in which they came.
        running: the games that were handed out and have no result yet, by key.
        passed: keys of games that are not played in this run because an engine of theirs is disabled.
        disabled: the engines that play no more in this run, in the order in which that was found.
        stored: keys of games that count and were stored before, where no schedule asks for their results.
        models: how the games' rating lists are set, by game id; as usual for an id that is missing.
    """

    results: dict[str, EndedGame] = field(default_factory=dict)
    running: dict[str, Pairing] = field(default_factory=dict)
    passed: set[str] = field(default_factory=set)
    disabled: list[str] = field(default_factory=list)
    stored: frozenset[str] = frozenset()
    models: Mapping[str, RatingSettings] = field(default_factory=dict)

    @classmethod
    def of(cls, results: Iterable[EndedGame]) -> Self:
        """The state before a run, from all stored results; void ones say nothing."""
        return cls({result.key: result for result in results if result.counts})

    def __contains__(self, key: object) -> bool:
        """Whether a game with this key has been dealt with, so that it is not to be handed out."""
        return key in self.stored or key in self.results or key in self.running or key in self.passed
