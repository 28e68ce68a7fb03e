"""How the games of one id ended, and what each seat scored, as short lists of bars."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from arena.tables.statistics.collector import StatisticsCollector

__all__ = ["ShareBar", "end_bars", "seat_bars"]

_MOST = 8


@dataclass(frozen=True, slots=True)
class ShareBar:
    """A bar: its name, its length from 0 to 100, and the figure beside it."""

    name: str
    share: float
    figure: str


def end_bars(statistics: StatisticsCollector) -> list[ShareBar]:
    """Return the most frequent reasons for the end of a game."""
    reasons: Counter[str] = Counter()
    for (reason, _), games in statistics.ends.items():
        reasons[reason] += games
    most = max(reasons.values(), default=1)
    frequent = reasons.most_common(_MOST)
    return [ShareBar(reason, round(100 * games / most, 1), str(games)) for reason, games in frequent]


def seat_bars(statistics: StatisticsCollector) -> list[ShareBar]:
    """Return the share of the points of each seat."""
    return [
        ShareBar(f"player {number}", round(100 * seat.score, 1), f"{100 * seat.score:.0f}\u202f%")
        for number, seat in enumerate(statistics.seats, 1)
        if seat.games
    ]
