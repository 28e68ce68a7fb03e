"""Statistics of games: the scores of seats, lengths, openings, reasons for the end, and time.

The collector counts one game at a time and does not keep it, so many games need no more memory than a few.
If a game is void, or was not played because an engine was disabled, only its reason is counted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from math import sqrt
from typing import Final

from arena.model import GameRecord
from arena.ratings import DEVIATIONS
from referee.outcome import Termination
from referee.ply import Ply

__all__ = [
    "NOT_PLAYED",
    "OpeningLine",
    "SeatStatistics",
    "StatisticsCollector",
    "TimeUse",
    "mean_and_median",
    "opening_line",
]

NOT_PLAYED: Final = frozenset({Termination.VOID, Termination.DISABLED})
"""The reasons of games that were not played to an end."""


@dataclass(slots=True)
class SeatStatistics:
    """The score of one seat.

    Attributes:
        games, wins, draws: as in `arena.tables.standings.Standing`.
        points: the sum of the points.
        squares: the sum of the squares of the points.
    """

    games: int = 0
    wins: int = 0
    draws: int = 0
    points: float = 0.0
    squares: float = 0.0

    @property
    def score(self) -> float:
        """Points per game, from 0 to 1. There must be at least one game."""
        return self.points / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the score, if the player of the seat is random in each game.

        It is the mean plus and minus 1.96 standard errors, from the variance of the points, after two wins
        and two losses are added to the games. Otherwise the interval of few games, or of equal results, would
        be too small. Agresti and Coull (1998) propose this ("plus four") for wins and losses. Draws are
        points between them, and make the variance smaller.
        """
        games, points, squares = self.games + 4, self.points + 2, self.squares + 2
        mean = points / games
        error = DEVIATIONS * sqrt((squares / games - mean**2) / games)
        return max(mean - error, 0.0), min(mean + error, 1.0)


@dataclass(slots=True)
class OpeningLine:
    """The games with the same opening.

    Attributes:
        games: the number of games.
        draws: the games in which the first place was shared.
        plies: the sum of the plies of the games, without the moves of a given opening.
        points: the points of each seat.
    """

    games: int = 0
    draws: int = 0
    plies: int = 0
    points: list[float] = field(default_factory=list)


@dataclass(slots=True)
class TimeUse:
    """The time that one engine used, in nanoseconds.

    Attributes:
        games: the number of its games.
        moves: the number of its moves.
        thinking: the time of these moves.
        total: the time on its clock in all games, with the turns that a forfeit ended.
        longest: the time of its longest move.
        lost: the number of games that it lost on time.
    """

    games: int = 0
    moves: int = 0
    thinking: int = 0
    total: int = 0
    longest: int = 0
    lost: int = 0


class StatisticsCollector:
    """Collects the statistics of games.

    Args:
        plies: the number of moves in an opening, unless a game has a longer given opening.

    Attributes:
        games: the number of games that were played and count.
        seats: the scores of the seats, in seat order, for the largest number of players in a game.
        lengths: the number of games for each number of plies.
        lines: the games of each opening, by the text of the opening.
        ends: the number of games for each pair of the reason in words and the termination.
        times: the use of time by each engine, by its name.
    """

    def __init__(self, plies: int = 2) -> None:
        self._plies = plies
        self.games = 0
        self.seats: list[SeatStatistics] = []
        self.lengths: Counter[int] = Counter()
        self.lines: defaultdict[str, OpeningLine] = defaultdict(OpeningLine)
        self.ends: Counter[tuple[str, Termination]] = Counter()
        self.times: defaultdict[str, TimeUse] = defaultdict(TimeUse)

    @property
    def unplayed(self) -> int:
        """The number of games that count and were not played, because an engine was disabled."""
        return sum(games for (_, why), games in self.ends.items() if why is Termination.DISABLED)

    def add(self, record: GameRecord) -> None:
        """Count one game."""
        result = record.result
        self.ends[result.reason, result.termination] += 1
        if result.termination in NOT_PLAYED:
            return
        self.games += 1
        self.lengths[result.plies] += 1
        self._count_points(record)
        self._count_times(record)

    def _count_points(self, record: GameRecord) -> None:
        players = record.result.players
        while len(self.seats) < len(players):
            self.seats.append(SeatStatistics())
        first = [player.rank == 1 and player.forfeit is None for player in players]
        for seat, player in enumerate(players):
            statistics = self.seats[seat]
            statistics.games += 1
            statistics.wins += first[seat] and sum(first) == 1
            statistics.draws += first[seat] and sum(first) > 1
            statistics.points += player.points
            statistics.squares += player.points**2
        line = self.lines[opening_line(record, self._plies)]
        line.games += 1
        line.draws += sum(first) > 1
        line.plies += record.result.plies
        line.points += [0.0] * (len(players) - len(line.points))  # games of several ids differ in players
        for seat, player in enumerate(players):
            line.points[seat] += player.points

    def _count_times(self, record: GameRecord) -> None:
        players = record.result.players
        for player in players:
            use = self.times[player.name]
            use.games += 1
            use.total += player.time_used
            use.lost += player.forfeit is Termination.TIME
        times: list[list[int]] = [[] for _ in players]
        for ply in moves_of(record):
            times[ply.seat].append(ply.time)
        for player, spent in zip(players, times, strict=True):
            if spent:
                use = self.times[player.name]
                use.moves += len(spent)
                use.thinking += sum(spent)
                use.longest = max(use.longest, *spent)


def moves_of(record: GameRecord) -> Iterable[Ply]:
    """Return the plies of a game without removals. The record of a game of two has no removals."""
    if len(record.result.players) == 2:
        return record.record
    return (ply for ply in record.record if not ply.is_removal)


def opening_line(record: GameRecord, plies: int) -> str:
    """Return the first ``plies`` moves of a game as a text; a longer given opening is not cut."""
    opening = record.opening
    played = islice(moves_of(record), max(plies - len(opening.moves), 0))
    words = [*opening.moves, *(ply.text for ply in played)]
    return " ".join([*filter(None, [opening.position]), *words]) or "(no move)"


def mean_and_median(lengths: Mapping[int, int]) -> tuple[float, int]:
    """Return the mean and the lower median of lengths.

    Args:
        lengths: the number of games for each length.

    Raises:
        ValueError: there is no length.
    """
    games = sum(lengths.values())
    below = 0
    for length in sorted(lengths):
        below += lengths[length]
        if 2 * below >= games:
            return sum(length * count for length, count in lengths.items()) / games, length
    raise ValueError("there is no number")
