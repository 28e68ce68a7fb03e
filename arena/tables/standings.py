"""Who has how many points: pure functions of results, or of a tally of them.

Void games are left out: they are played again. The order of the results does not matter.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum

from arena.model import GameResult
from arena.scoring import GameScoreCounts, SeatScore, tally
from arena.tables.text_table import TextTable

__all__ = [
    "POINTS_NOTE",
    "Standing",
    "Versus",
    "as_tally",
    "points_format",
    "points_table",
    "standings",
    "versus",
]

POINTS_NOTE = "Order: points, wins, Sonneborn-Berger, name. Score: points a game."


@dataclass(frozen=True, slots=True)
class Standing:
    """One engine's share in a number of games.

    Attributes:
        name: the engine.
        games: how many it played; a seat it was given counts, also when it was disabled by then.
        wins: it was first, alone.
        draws: it shared the first place.
        losses: somebody else was placed better, or it forfeited.
        points: the sum of `PlayerRecord.points`.
        forfeits: how many it lost by misbehaving.
        sonneborn_berger: the points of those it beat, and half the points of those it drew with, in
            each game against each of them; see `crosstable` for what that is among four.
    """

    name: str
    games: int
    wins: int
    draws: int
    losses: int
    points: float
    forfeits: int
    sonneborn_berger: float


@dataclass(frozen=True, slots=True)
class Versus:
    """What one engine scored against another: 1 for each game it was placed better, 1/2 for each tie."""

    points: float
    games: int


def standings(games: Iterable[GameResult] | GameScoreCounts) -> tuple[Standing, ...]:
    """The table: by points, then wins, then Sonneborn-Berger, then name."""
    return _table(as_tally(games))


def as_tally(games: Iterable[GameResult] | GameScoreCounts) -> GameScoreCounts:
    """A tally as it is; results counted."""
    return games if isinstance(games, Counter) else tally(games)


def _table(counts: GameScoreCounts) -> tuple[Standing, ...]:
    seats: defaultdict[str, list[tuple[SeatScore, str, int]]] = defaultdict(list)
    for outcome, count in counts.items():
        shared = sum(share.rank == 1 for share in outcome) > 1
        for share in outcome:
            seats[share.name].append((share, _letter(share, shared=shared), count))
    points = {
        name: fsum(share.points * count for share, _, count in played) for name, played in seats.items()
    }
    berger: defaultdict[str, list[float]] = defaultdict(list)
    for (name, opponent), cell in versus(counts).items():
        berger[name].append(cell.points * points[opponent])
    table = [
        Standing(
            name=name,
            games=sum(count for _, _, count in played),
            wins=sum(count for _, letter, count in played if letter == "W"),
            draws=sum(count for _, letter, count in played if letter == "D"),
            losses=sum(count for _, letter, count in played if letter == "L"),
            points=points[name],
            forfeits=sum(count for share, _, count in played if share.forfeited),
            sonneborn_berger=fsum(berger[name]),
        )
        for name, played in seats.items()
    ]
    return tuple(sorted(table, key=lambda row: (-row.points, -row.wins, -row.sonneborn_berger, row.name)))


def versus(counts: GameScoreCounts) -> dict[tuple[str, str], Versus]:
    """What each engine scored against each other one; its games against itself count for nothing."""
    points: defaultdict[tuple[str, str], float] = defaultdict(float)
    games: defaultdict[tuple[str, str], int] = defaultdict(int)
    for outcome, count in counts.items():
        for one, other in combinations(outcome, 2):
            if one.name == other.name:
                continue
            gained, lost = _pair_points(one, other)
            points[one.name, other.name] += gained * count
            points[other.name, one.name] += lost * count
            games[one.name, other.name] += count
            games[other.name, one.name] += count
    return {pair: Versus(points[pair], count) for pair, count in games.items()}


def _letter(share: SeatScore, *, shared: bool) -> str:
    if share.rank != 1 or share.forfeited:
        return "L"
    return "D" if shared else "W"


def _pair_points(one: SeatScore, other: SeatScore) -> tuple[float, float]:
    if one.rank == other.rank:
        return (0.0, 0.0) if one.forfeited and other.forfeited else (0.5, 0.5)
    return (1.0, 0.0) if one.rank < other.rank else (0.0, 1.0)


def points_table(table: Sequence[Standing]) -> TextTable:
    """Points without ratings, for games that have no rating in common."""
    points = points_format([standing.points for standing in table])
    return TextTable(
        ("#", "engine", "games", "W-D-L", "points", "score", "forfeits"),
        tuple(
            (
                str(place),
                standing.name,
                str(standing.games),
                f"{standing.wins}-{standing.draws}-{standing.losses}",
                format(standing.points, points),
                f"{standing.points / standing.games:.1%}",
                str(standing.forfeits or ""),
            )
            for place, standing in enumerate(table, 1)
        ),
    )


def points_format(values: Iterable[float]) -> str:
    """As few decimals as all values need, two at most: halves among two players, thirds among four."""
    known = list(values)
    for decimals in (0, 1):
        if all(abs(value - round(value, decimals)) < 0.001 for value in known):
            return f".{decimals}f"
    return ".2f"
