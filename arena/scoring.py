"""Who fared how, and how often each outcome came up: all that points, strengths and schedules rest on.

A hundred thousand games between twenty engines have some thousand different outcomes, so what is worked out
from a tally takes as long for a hundred thousand games as for a thousand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from arena.model import GameResult
from referee.outcome import Termination

__all__ = [
    "EndedGame",
    "GameEnding",
    "GameScore",
    "GameScoreCounts",
    "ScoredSeat",
    "SeatScore",
    "points",
    "tally",
]


class SeatScore(NamedTuple):
    """How one seat fared.

    Attributes:
        name: the engine.
        rank: 1 = best, ties share.
        points: as in `PlayerRecord`.
        forfeit: why the referee removed it; None for a seat that it didn't.
    """

    name: str
    rank: int
    points: float
    forfeit: Termination | None

    @property
    def forfeited(self) -> bool:
        """Whether it lost by misbehaving; who resigns doesn't."""
        return self.forfeit is not None and self.forfeit.is_forfeit


GameScore: TypeAlias = tuple[SeatScore, ...]
"""A game that counts, in seat order."""


class ScoredSeat(Protocol):
    """What schedules and ratings need of a seat: `SeatScore` and `arena.model.PlayerRecord` have it."""

    @property
    def name(self) -> str:
        """The engine."""
        ...

    @property
    def rank(self) -> int | None:
        """1 = best, ties share; None in a void game."""
        ...

    @property
    def points(self) -> float:
        """As in `arena.model.PlayerRecord`."""
        ...

    @property
    def forfeit(self) -> Termination | None:
        """Why the referee removed it; None for a seat that it didn't."""
        ...


class EndedGame(Protocol):
    """What a schedule needs of a game that has ended: `GameEnding` and `arena.model.GameResult` have it."""

    @property
    def number(self) -> int:
        """Its place in the schedule."""
        ...

    @property
    def key(self) -> str:
        """As in `arena.model.Pairing`."""
        ...

    @property
    def game(self) -> str:
        """The game's id."""
        ...

    @property
    def termination(self) -> Termination:
        """Why play stopped."""
        ...

    @property
    def counts(self) -> bool:
        """Whether it is scored."""
        ...

    @property
    def players(self) -> Sequence[ScoredSeat]:
        """In seat order."""
        ...


class GameEnding(NamedTuple):
    """A stored game that counts, without anything that no schedule asks for: a tenth of a `GameResult`.

    Attributes:
        number, key, game, termination: as in `EndedGame`.
        players: in seat order.
    """

    number: int
    key: str
    game: str
    termination: Termination
    players: GameScore

    @property
    def counts(self) -> bool:
        """As in `EndedGame`."""
        return True


GameScoreCounts: TypeAlias = Counter[GameScore]
"""Outcomes of one game id and how many games ended so."""


def points(ranks: tuple[int, ...], forfeits: tuple[Termination | None, ...]) -> tuple[float, ...]:
    """What each seat scores: (players - mean place) / (players - 1), and 0 for a forfeit.

    Seats that share a place share the places' mean, so that a win, a draw and a loss between two are 1, 1/2
    and 0, and a winner before three who share second place has 1 and they have 1/3.
    """
    players = len(ranks)
    return tuple(
        0.0
        if forfeit is not None and forfeit.is_forfeit
        else (players - rank - (ranks.count(rank) - 1) / 2) / (players - 1)
        for rank, forfeit in zip(ranks, forfeits, strict=True)
    )


def tally(results: Iterable[GameResult]) -> GameScoreCounts:
    """Count the outcomes of those results that count."""
    return Counter(
        tuple(
            SeatScore(player.name, player.rank, player.points, player.forfeit)
            for player in result.players
            if player.rank is not None
        )
        for result in results
        if result.counts
    )
