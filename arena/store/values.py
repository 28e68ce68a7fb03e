"""Values that only the store returns. `arena.model` and `arena.scoring` declare its other values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from arena.model import RatingListRecord, TournamentRecord
from arena.scoring import GameScore

GAMES_AT_ONCE: Final = 200
"""The most games in a statement or a transaction: SQLite limits its numbers, and games fill the memory.

A commit takes as long as storing ten games.
"""


@dataclass(frozen=True, slots=True)
class TournamentInfo:
    """A tournament in the database.

    Attributes:
        name: its name.
        created: seconds since the epoch.
        games: the number of its games that are finished and count.
        rated: whether rating lists have its games.
    """

    name: str
    created: float
    games: int
    rated: bool


@dataclass(frozen=True, slots=True)
class EngineUse:
    """An engine as it was in some games of a tournament that count."""

    name: str
    version: str  # this and the next three as in `PlayerRecord`
    program: str
    options: Mapping[str, str] | None
    time_control: str
    games: int
    first: int  # the number of the first game in the database
    last: int


@dataclass(frozen=True, slots=True)
class DatabaseContents:
    """The contents of a database besides its games."""

    tournaments: tuple[TournamentRecord, ...]  # in the order in which they came into the database
    rating_lists: tuple[RatingListRecord, ...]  # those with changed settings, by game id
    last: int  # the number of the last game; 0 when there are no games


@dataclass(frozen=True, slots=True)
class GameFilter:
    """The games that a table takes: those that meet all conditions that are not None."""

    tournament: str | None = None
    time_control: str | None = None  # of all their seats
    since: float | None = None  # when they began at the earliest, in seconds since the epoch
    remote: bool = False  # the games of tournaments of remote bots, which no other list has


@dataclass(frozen=True, slots=True)
class GameSearch:
    """The games to find: those that meet all conditions; "", None and an empty tuple are none."""

    tournament: str | None = None
    game: str | None = None  # the id
    engines: tuple[str, ...] = ()  # all of them play in the game
    seat: int | None = None  # of the first engine, from 0
    result: str = ""  # one of `RESULTS`; "won" and "lost" need an engine
    reason: str = ""  # for the end: a reason, a termination, or the forfeit of a player
    opening: str = ""  # how its moves begin; a start position comes before them
    least: int = 0  # of its plies
    most: int | None = None
    upset: Mapping[str, float] | None = None  # strengths: the winner is by `UPSET` weaker than one it beat
    worker: str | None = None  # that played it; "" is the machine of `arena run`

    @property
    def is_quick(self) -> bool:
        """Whether all games that it finds can be counted at once, even of a hundred thousand."""
        seats = self.result == "decided" or (self.result not in ("", "void") and not self.engines)
        return not self.opening and self.upset is None and not seats


RESULTS: Final = ("won", "lost", "drawn", "decided", "forfeited", "void")
"""How the first engine ended a game, or how it ended: drawn is a shared first place, decided another end."""

UPSET: Final = 100.0
"""In Elo."""

ORDERS: Final = ("newest", "oldest", "longest", "shortest")
"""The orders of games that are found."""


class Facets(NamedTuple):
    """What games can be searched for: their ids, their engines, and the reasons for their ends, sorted."""

    games: tuple[str, ...]
    engines: tuple[str, ...]
    reasons: tuple[str, ...]


class Meeting(NamedTuple):
    """Games of a tournament that count, with the same score, reason for the end and opening line."""

    tournament: str
    game: str
    score: GameScore
    reason: str
    opening: str  # at least two plies; "" without a move
    games: int


ALL_GAMES: Final = GameFilter()
"""A filter without conditions: the usual rating list."""

REMOTE_GAMES: Final = GameFilter(remote=True)
"""The rating list of remote bots."""


class ScheduleOrder(NamedTuple):
    """The place of a game: the id of its tournament, number from 0, and key.

    Games are ordered by the time when their tournament began, the tournament's name, number and key. So the
    order does not depend on which tournament was stored first.
    """

    tournament: int
    number: int
    key: str


@dataclass(frozen=True, slots=True)
class RatedGame:
    """A game that counts, with the values that ratings need; the duration in nanoseconds."""

    place: ScheduleOrder
    duration: int
    outcome: GameScore


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Ratings after the first games of a rating list. The place, number and duration identify these games."""

    games: int
    place: ScheduleOrder  # of the last rated game
    duration: int  # the sum of their durations, nanoseconds
    ratings: Mapping[str, tuple[float, float, int]]  # mean, deviation and rated games
