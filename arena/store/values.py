"""The values that only the store makes; all others that it takes and gives are those of `arena.model`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from arena.model import RatingListRecord, TournamentRecord
from arena.scoring import GameScore

__all__ = ["Checkpoint", "DatabaseContents", "RatedGame", "ScheduleOrder", "TournamentInfo"]


@dataclass(frozen=True, slots=True)
class TournamentInfo:
    """A tournament in the database.

    Attributes:
        name: its name.
        created: seconds since the epoch.
        games: how many of its games are finished and count.
    """

    name: str
    created: float
    games: int


@dataclass(frozen=True, slots=True)
class DatabaseContents:
    """What a database holds besides games, at one moment.

    Attributes:
        tournaments: in the order in which they were begun.
        rating_lists: the lists whose settings differ from the usual ones, by game id.
        last: the number of the last game; 0 when there are no games.
    """

    tournaments: tuple[TournamentRecord, ...]
    rating_lists: tuple[RatingListRecord, ...]
    last: int


class ScheduleOrder(NamedTuple):
    """A game's place in schedule order: tournaments as they were begun, number, key."""

    tournament: int
    number: int
    key: str


@dataclass(frozen=True, slots=True)
class RatedGame:
    """A game that counts, with what ratings need of it.

    Attributes:
        place: in schedule order.
        duration: nanoseconds.
        outcome: how every seat fared.
    """

    place: ScheduleOrder
    duration: int
    outcome: GameScore


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Ratings after the first games of a rating list; place, number and duration identify these games.

    Attributes:
        games: how many games that count were rated.
        place: the place of the last one.
        duration: the sum of their durations, nanoseconds.
        ratings: mean, deviation and number of rated games, by engine.
    """

    games: int
    place: ScheduleOrder
    duration: int
    ratings: Mapping[str, tuple[float, float, int]]
