"""What the games of a tournament have in common: seats, lengths, openings, ends and time, game by game.

Games are taken one by one and forgotten, so any number of them fits. Of a void game only the end is counted,
and so it is with one that was not played because an engine was disabled.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from math import sqrt

from arena.confidence import DEVIATIONS
from arena.model import GameRecord
from referee.outcome import Termination

__all__ = [
    "OpeningLine",
    "SeatStatistics",
    "StatisticsCollector",
    "TimeUse",
    "mean_and_median",
    "opening_line",
]


@dataclass(slots=True)
class SeatStatistics:
    """What one seat scored.

    Attributes:
        games, wins, draws: as in `arena.tables.standings.Standing`.
        points: their sum.
        squares: the sum of their squares.
    """

    games: int = 0
    wins: int = 0
    draws: int = 0
    points: float = 0.0
    squares: float = 0.0

    @property
    def score(self) -> float:
        """Points a game, from 0 to 1; there is at least one game."""
        return self.points / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """The score's 95 % interval, as if who sat there were drawn by lot.

        Two wins and two losses are added first, so that few games, or equal ones, don't seem to say all
        (Agresti and Coull 1998, "plus four").
        """
        games, points, squares = self.games + 4, self.points + 2, self.squares + 2
        mean = points / games
        error = DEVIATIONS * sqrt((squares / games - mean**2) / games)
        return max(mean - error, 0.0), min(mean + error, 1.0)


@dataclass(slots=True)
class OpeningLine:
    """Games that began in the same way.

    Attributes:
        games: how many.
        draws: how many of them nobody won alone.
        plies: moves played in them, without those of the opening.
        points: of each seat.
    """

    games: int = 0
    draws: int = 0
    plies: int = 0
    points: list[float] = field(default_factory=list)


@dataclass(slots=True)
class TimeUse:
    """How one engine spent its time, in nanoseconds.

    Attributes:
        games, moves: how many.
        total: on its clock.
        longest: of one move.
        lost: games lost on time.
    """

    games: int = 0
    moves: int = 0
    total: int = 0
    longest: int = 0
    lost: int = 0


class StatisticsCollector:
    """Takes games and counts.

    Args:
        plies: how many moves make an opening, where the tournament gives none.

    Attributes:
        games: how many were played and count.
        seats: what each seat scored, in seat order; of games for more players there are more.
        lengths: how many games had so many plies.
        lines: openings.
        ends: how many games ended so: the reason, and why play stopped.
        times: by engine.
    """

    def __init__(self, plies: int = 2) -> None:
        self._plies = plies
        self.games = 0
        self.seats: list[SeatStatistics] = []
        self.lengths: Counter[int] = Counter()
        self.lines: defaultdict[str, OpeningLine] = defaultdict(OpeningLine)
        self.ends: Counter[tuple[str, Termination]] = Counter()
        self.times: defaultdict[str, TimeUse] = defaultdict(TimeUse)

    def add(self, record: GameRecord) -> None:
        """Count one game."""
        result = record.result
        self.ends[result.reason, result.termination] += 1
        if result.termination in (Termination.VOID, Termination.DISABLED):
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
            share = self.seats[seat]
            share.games += 1
            share.wins += first[seat] and sum(first) == 1
            share.draws += first[seat] and sum(first) > 1
            share.points += player.points
            share.squares += player.points**2
        line = self.lines[opening_line(record, self._plies)]
        line.games += 1
        line.draws += sum(first) > 1
        line.plies += record.result.plies
        known = line.points or [0.0] * len(players)
        line.points = [points + player.points for points, player in zip(known, players, strict=True)]

    def _count_times(self, record: GameRecord) -> None:
        players = record.result.players
        for player in players:
            use = self.times[player.name]
            use.games += 1
            use.total += player.time_used
            use.lost += player.forfeit is Termination.TIME
        for ply in record.record:
            if not ply.is_removal:
                use = self.times[players[ply.seat].name]
                use.moves += 1
                use.longest = max(use.longest, ply.time)


def opening_line(record: GameRecord, plies: int) -> str:
    """How a game began: its opening, and if that has fewer moves, the first that were played."""
    opening = record.opening
    played = (ply.text for ply in record.record if not ply.is_removal)
    words = [*opening.moves, *islice(played, max(plies - len(opening.moves), 0))]
    return " ".join([*filter(None, [opening.position]), *words]) or "(no move)"


def mean_and_median(lengths: Mapping[int, int]) -> tuple[float, int]:
    """Of counted numbers, of which there is at least one; the lower median."""
    games = sum(lengths.values())
    below = 0
    for length in sorted(lengths):
        below += lengths[length]
        if 2 * below >= games:
            return sum(length * count for length, count in lengths.items()) / games, length
    raise ValueError("there is no number")
